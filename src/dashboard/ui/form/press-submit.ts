/** Submits a form by its button, which refuses while it is busy or disabled. */
export const pressSubmit = (form: Element | null) =>
  form?.querySelector<HTMLElement>("[type=submit]")?.click()
