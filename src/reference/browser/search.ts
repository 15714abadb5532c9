import { closeContents } from "./contents.ts"
import { byId, make } from "./element.ts"
import { type Entry, find } from "./find.ts"

const MOST_RESULTS = 40

/** Searches the page. The key `/` opens the search, and arrow keys move through the results. */
export function addSearch(): void {
  const input = byId("search") as HTMLInputElement
  const results = byId("results")
  const nav = byId("contents")
  let entries: Entry[] | undefined
  input.parentElement!.hidden = false

  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
    nav.classList.toggle("searching", words.length > 0)
    entries ??= readEntries()
    const found = words.length > 0 ? find(entries, words) : []
    byId("found").textContent = words.length === 0 ? "" : inWords(found.length)
    nav.scrollTop = 0
    results.replaceChildren(...found.slice(0, MOST_RESULTS).map((one) => result(one, words)))
  }
  const clear = () => {
    input.value = ""
    show()
  }
  input.addEventListener("input", show)
  results.addEventListener("click", clear)
  nav.addEventListener("keydown", (event) => {
    const links = [...results.querySelectorAll("a")]
    const at = links.indexOf(document.activeElement as HTMLAnchorElement)
    if (event.key === "Escape" && input.value) {
      event.preventDefault()
      clear()
      input.focus()
    } else if (event.key === "ArrowDown" && links[at + 1]) {
      event.preventDefault()
      links[at + 1]!.focus()
    } else if (event.key === "ArrowUp" && at >= 0) {
      event.preventDefault()
      ;(links[at - 1] ?? input).focus()
    } else if (event.key === "Enter" && event.target === input && links[0]) {
      event.preventDefault()
      links[0].click()
      closeContents()
      input.blur()
    }
  })
  addEventListener("keydown", (event) => {
    const isSlash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey
    const isPalette = event.key === "k" && (event.ctrlKey || event.metaKey)
    if (document.activeElement === input || !(isSlash || isPalette)) return
    event.preventDefault()
    if (getComputedStyle(nav).display === "none") nav.showPopover()
    input.focus()
    input.select()
  })
}

const inWords = (count: number) =>
  count === 0 ? "Nothing found" : count === 1 ? "1 result" : `${count} results`

/** The sections, calls and objects of the page, with their text. */
const readEntries = (): Entry[] =>
  [...document.querySelectorAll<HTMLElement>("h2[id], h3[id]")].map((heading) => {
    const article = heading.closest("article")
    const method = heading.querySelector(".method")?.textContent ?? ""
    const chapter = heading.closest("section")?.querySelector("h2")?.textContent ?? ""
    return {
      id: heading.id,
      title: (heading.textContent ?? "").replace(method, "").trim(),
      method,
      chapter: heading.localName === "h2" ? "" : chapter,
      path: article?.querySelector(".path")?.textContent?.trim() ?? "",
      text: article ? textIn(article) : textBelow(heading),
    }
  })

const textIn = (article: Element): string =>
  [...article.querySelectorAll(".intro, .rest")].map(textOf).join(" ")

/** The text up to the next heading. */
function textBelow(heading: Element): string {
  const texts: string[] = []
  let next = heading.nextElementSibling
  for (; next && !next.matches("h3, article"); next = next.nextElementSibling) {
    texts.push(textOf(next))
  }
  return texts.join(" ")
}

/** The text of an element, with a space between cells and members. */
function textOf(element: Element): string {
  const parts = [...element.querySelectorAll("p, li, dt, td, h4, pre")]
  const texts = (parts.length > 0 ? parts : [element]).map((one) => one.textContent ?? "")
  return texts.join(" ").replace(/\s+/g, " ")
}

function result({ id, title, method, chapter, path, text }: Entry, words: string[]): HTMLElement {
  const badge = method ? [make("b", { className: `method ${method.toLowerCase()}` }, method)] : []
  const where = make("span", {}, path || chapter)
  const place = around(text, words)
  const excerpt = place && !`${title} ${path}`.toLowerCase().includes(words[0]!) ? [place] : []
  return make("li", {}, make("a", { href: `#${id}` }, title, ...badge, where, ...excerpt))
}

function around(text: string, [word = ""]: string[]): HTMLElement | undefined {
  const at = text.toLowerCase().indexOf(word)
  if (at < 0) return undefined
  const before = text.slice(Math.max(0, at - 30), at)
  const hit = make("mark", {}, text.slice(at, at + word.length))
  return make(
    "span",
    {},
    `…${before}`,
    hit,
    `${text.slice(at + word.length, at + word.length + 50)}…`,
  )
}
