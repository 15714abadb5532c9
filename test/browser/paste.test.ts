import type { Page } from "playwright-core"
import { beforeAll, expect, it } from "vitest"
import { api, launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()

const SOON = { timeout: 20_000 }

let page: Page
let id: string
beforeAll(async () => {
  ;({ page } = await signIn())
  const book = await api("POST", "/contact-books", { name: "Paste" })
  const { data: domains } = await api("GET", "/domains")
  const campaign = await api("POST", "/campaigns", {
    name: "Paste",
    bookId: book.id,
    domainId: domains.find(({ name }: { name: string }) => name === "demo.test").id,
    from: "news@demo.test",
    subject: "Hello",
    blocks: [{ kind: "text", html: "Old" }],
  })
  id = campaign.id
  await page.goto(`/dashboard/campaigns/${id}`)
  await page.getByRole("list", { name: "Blocks" }).waitFor()
})

/** Pastes into an empty text, and reads what was saved. */
async function pasted(html: string): Promise<string> {
  const text = page.getByRole("textbox", { name: "Text", exact: true })
  await text.click()
  await page.keyboard.press("Control+A")
  await page.keyboard.type("Typed")
  await expect.poll(saved, SOON).toBe("Typed")
  await page.keyboard.press("Control+A")
  await page.evaluate(`{
    const clipboardData = new DataTransfer()
    clipboardData.setData("text/html", ${JSON.stringify(html)})
    const paste = new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData })
    document.activeElement.dispatchEvent(paste)
  }`)
  await expect.poll(saved, SOON).not.toBe("Typed")
  return saved()
}

const saved = async () => (await api("GET", `/campaigns/${id}`)).blocks[0].html

const DOCS = `<meta charset='utf-8'><b style="font-weight:normal;" id="docs-internal-guid-1">
<h1 dir="ltr" style="line-height:1.38"><span style="font-size:20pt;font-weight:400">Release notes</span></h1>
<p dir="ltr"><span style="font-weight:400;font-style:normal">Plain, </span><span style="font-weight:700">bold</span><span style="font-weight:400;font-style:italic"> and slanted</span></p>
<br />
<ul style="margin-top:0"><li dir="ltr" style="list-style-type:disc"><p dir="ltr" role="presentation"><span style="font-weight:400">First</span></p></li>
<li dir="ltr"><p dir="ltr"><a href="https://example.com/a?b=1&amp;c=2" style="text-decoration:none"><span style="color:#1155cc">Second</span></a></p></li></ul>
<table><tbody><tr><td><p>Name</p></td><td><p>Price</p></td></tr><tr><td><p>Cup</p></td><td><p>7 &euro;</p></td></tr></tbody></table></b>`

const WORD = `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p.MsoNormal{margin:0}</style></head><body>
<!--StartFragment--><p class=MsoNormal><b style='mso-bidi-font-weight:normal'>Agenda<o:p></o:p></b></p>
<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;</span></span></span><![endif]>Welcome</p>
<p class=MsoListParagraphCxSpLast style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><span style='mso-list:Ignore'>·<span>&nbsp;</span></span><i>Budget</i></p>
<p class=MsoListParagraph style='mso-list:l1 level1 lfo2'><span style='mso-list:Ignore'>1.<span>&nbsp;</span></span>Vote</p>
<p class=MsoNormal>Call <a href="tel:+4930123">us</a>, see <a href="/intern">here</a><span style='display:none'>hidden</span>.</p><!--EndFragment--></body></html>`

const MAIL = `<div dir="ltr">Hello,<div><br></div><div>two&nbsp;lines<br>here</div><script>alert(1)</script><div><b>5 &lt; 6</b></div></div>`

it.each([
  [
    "Google Docs",
    DOCS,
    "<strong>Release notes</strong><br>Plain, <strong>bold</strong><em> and slanted</em><br>" +
      '<ul><li>First</li><li><a href="https://example.com/a?b=1&amp;c=2">Second</a></li></ul>' +
      "Name | Price<br>Cup | 7 €",
  ],
  [
    "Word",
    WORD,
    "<strong>Agenda</strong><ul><li>Welcome</li><li><em>Budget</em></li></ul>" +
      "<ol><li>Vote</li></ol>Call us, see here.",
  ],
  ["a mail client", MAIL, "Hello,<br><br>two&nbsp;lines<br>here<br><strong>5 &lt; 6</strong>"],
])("text of %s keeps its form", async (_, html, expected) => {
  expect(await pasted(html)).toBe(expected)
})
