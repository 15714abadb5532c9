import { make } from "./element.ts"

const KEY = "language"

/** Shows one example of a set at a time. The choice of a language holds for all sets. */
export function showChoices(): void {
  const requests: ((name: string) => void)[] = []
  for (const set of document.querySelectorAll<HTMLElement>(".set")) {
    const isRequest = set.dataset.set === "request"
    const choose = addChoices(set, (name) => {
      if (!isRequest) return
      remember(name)
      for (const other of requests) other(name)
    })
    if (isRequest && choose) requests.push(choose)
  }
  const known = recall()
  if (known) for (const choose of requests) choose(known)
}

/** Answers a function that shows the example with a name. */
function addChoices(set: HTMLElement, chosen: (name: string) => void) {
  const figures = [...set.querySelectorAll<HTMLElement>("figure")]
  if (figures.length < 2) return undefined
  set.dataset.tabs = ""
  const names = figures.map((one) => one.querySelector("figcaption")?.textContent ?? "")
  const buttons = names.map((name) => make("button", { type: "button" }, name))
  const choose = (name: string) => {
    if (!names.includes(name)) return
    for (const [index, figure] of figures.entries()) {
      figure.classList.toggle("off", names[index] !== name)
      buttons[index]!.ariaPressed = String(names[index] === name)
    }
  }
  for (const [index, button] of buttons.entries()) {
    button.addEventListener("click", () =>
      inPlace(button, () => {
        choose(names[index]!)
        chosen(names[index]!)
      }),
    )
  }
  const label = set.dataset.set === "request" ? "Language" : "Reply"
  set.prepend(make("div", { className: "choices", role: "group", ariaLabel: label }, ...buttons))
  choose(names[0]!)
  return choose
}

/** Scrolls so that the button stays under the pointer when examples above change their height. */
function inPlace(element: HTMLElement, change: () => void): void {
  const before = element.getBoundingClientRect().top
  change()
  scrollBy({ top: element.getBoundingClientRect().top - before, behavior: "instant" })
}

/** The browser may not allow to store the choice. */
function remember(name: string): void {
  try {
    localStorage.setItem(KEY, name)
  } catch {}
}

function recall(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}
