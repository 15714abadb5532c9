/** Submits a form by its button, which refuses while it is busy or disabled. */
export const pressSubmit = (element: Element) =>
  element.querySelector<HTMLElement>("[type=submit]")?.click()
