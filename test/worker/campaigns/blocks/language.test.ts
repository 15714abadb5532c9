import { describe, expect, it } from "vitest"
import type { Block, Theme } from "../../../../src/worker/campaigns/blocks/contract.ts"
import { languageOf } from "../../../../src/worker/campaigns/blocks/language.ts"
import { renderHtml } from "../../../../src/worker/campaigns/blocks/render-html.ts"

const text = (html: string): Block => ({ kind: "text", html })
const html = (subject: string, blocks: Block[], theme: Theme | null = null) =>
  renderHtml({ subject, preheader: "", blocks, theme, sender: null })

describe("without a choice, the language and the direction are guessed", () => {
  it.each([
    ["שלום, עולם! 10% הנחה", "he", "rtl"],
    ["أهلا بكم في متجرنا", "ar", "rtl"],
    ["به فروشگاه ما خوش آمدید، چه خبر", "fa", "rtl"],
    ["ہماری دکان میں خوش آمدید، بڑے تحفے", "ur", "rtl"],
    ["Ihre Bestellung ist da und wir freuen uns", "de", "ltr"],
    ["Your order is here and we are happy", "en", "ltr"],
    ["Votre commande est arrivée, merci pour tout", "fr", "ltr"],
    ["Su pedido ya está en camino y es para usted con los regalos", "es", "ltr"],
    ["ご注文ありがとうございます", "ja", "ltr"],
    ["주문해 주셔서 감사합니다", "ko", "ltr"],
    ["感谢您的订购", "zh", "ltr"],
    ["Ваш заказ уже в пути, это быстро", "ru", "ltr"],
    ["SALE 50%", null, "ltr"],
    ["", null, "ltr"],
  ])("%s", (written, lang, dir) => {
    expect(languageOf("", [text(written || "1")], null)).toEqual({ lang, dir })
  })

  it("from the words alone, not from links and merge fields", () => {
    const blocks = [
      text('שלום {{ properties.nameOfCompany }}, <a href="https://example.com/long/path">כאן</a>'),
    ]
    expect(languageOf("", blocks, null)).toEqual({ lang: "he", dir: "rtl" })
  })
})

describe("a choice", () => {
  it("goes before the text, and a language has a direction", () => {
    const blocks = [text("Hello to you and the others")]
    expect(languageOf("", blocks, { lang: "ar" })).toEqual({ lang: "ar", dir: "rtl" })
    expect(languageOf("", blocks, { lang: "de-AT" })).toEqual({ lang: "de-AT", dir: "ltr" })
    expect(languageOf("", blocks, { lang: "he", dir: "ltr" })).toEqual({ lang: "he", dir: "ltr" })
    expect(languageOf("", blocks, { dir: "rtl" })).toEqual({ lang: "en", dir: "rtl" })
  })
})

describe("the html of a message", () => {
  it("from right to left says so, and begins its lines on the right", () => {
    const list = text("<ul><li>שלום</li></ul>")
    const left: Block = { kind: "heading", level: 1, text: "עולם", align: "left" }
    const written = html("ברוכים", [list, left])
    expect(written).toContain('<html lang="he" dir="rtl"')
    expect(written).toContain('<body dir="rtl"')
    expect(written).toMatch(/<table[^>]* lang="he" dir="rtl"/)
    expect(written).toContain("text-align:right")
    expect(written).toContain("padding:0 24px 0 0")
    expect(written).toContain('<td align="left"')
  })

  it("says no language that it does not know", () => {
    expect(html("50%", [text("1")])).toMatch(/<html xmlns/)
  })
})
