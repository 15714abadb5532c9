import { make } from "./element.ts"

const SHOWN_MS = 1_500

export function addCopyButtons(): void {
  for (const figure of document.querySelectorAll(".code")) {
    const code = figure.querySelector("pre")
    if (!code) continue
    const label = `Copy: ${code.getAttribute("aria-label")}`
    const button = make("button", { type: "button", className: "copy", ariaLabel: label }, "Copy")
    button.addEventListener("click", () => void copy(button, code.textContent ?? ""))
    figure.append(button)
  }
}

async function copy(button: HTMLButtonElement, text: string): Promise<void> {
  const outcome = await navigator.clipboard.writeText(text).then(
    () => "Copied",
    () => "Not allowed",
  )
  const name = button.ariaLabel
  button.textContent = outcome
  button.ariaLabel = outcome
  button.dataset.done = ""
  setTimeout(() => {
    button.textContent = "Copy"
    button.ariaLabel = name
    delete button.dataset.done
  }, SHOWN_MS)
}
