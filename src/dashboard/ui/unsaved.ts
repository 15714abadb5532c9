export const mayLeave = () => confirm("Leave without saving your changes?")

/** Whether an element may be closed: asks if a form in it has changes that are not saved. */
export const mayClose = (element: Element | null) =>
  !element?.querySelector("[data-unsaved]") || mayLeave()
