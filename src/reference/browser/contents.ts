import { byId } from "./element.ts"

/** Marks the section that the reader sees in the contents, and opens its chapter. */
export function followReader(): void {
  const nav = byId("contents")
  const links = new Map(
    [...byId("tree").querySelectorAll("a")].map((link) => [link.hash.slice(1), link]),
  )
  const headings = [...document.querySelectorAll<HTMLElement>("h2[id], h3[id]")].filter(({ id }) =>
    links.has(id),
  )
  let current: HTMLAnchorElement | undefined
  let isWaiting = false

  const update = () => {
    isWaiting = false
    const top = innerHeight * 0.25
    const here = headings.findLast((one) => one.getBoundingClientRect().top <= top) ?? headings[0]
    const link = here && links.get(here.id)
    if (!link || link === current) return
    current?.removeAttribute("aria-current")
    link.setAttribute("aria-current", "true")
    current = link
    for (const item of nav.querySelectorAll("li")) {
      item.classList.toggle("open", item.contains(link))
    }
    showInside(nav, link)
  }
  const updateSoon = () => {
    if (!isWaiting) requestAnimationFrame(update)
    isWaiting = true
  }
  addEventListener("scroll", updateSoon, { passive: true })
  addEventListener("resize", updateSoon)
  update()

  nav.addEventListener("toggle", () => {
    if (current && nav.matches(":popover-open")) showInside(nav, current)
  })
  nav.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("a[href^='#']")) closeContents()
  })
}

/** On a phone, the contents cover the page. */
export function closeContents(): void {
  const nav = byId("contents")
  if (nav.matches(":popover-open")) nav.hidePopover()
}

/** Scrolls the contents, never the page. */
function showInside(nav: HTMLElement, link: HTMLElement): void {
  const box = nav.getBoundingClientRect()
  const { top, bottom } = link.getBoundingClientRect()
  const isHidden = top < box.top + 60 || bottom > box.bottom - 20
  if (isHidden) nav.scrollTop += top - box.top - box.height / 3
}
