export interface CanvasView {
  phone: boolean
  dark: boolean
}

/** The width and the color scheme that the canvas is drawn for. */
export function ViewButtons({
  view,
  onView,
}: {
  view: CanvasView
  onView(view: CanvasView): void
}) {
  const { phone, dark } = view
  return (
    <fieldset className="flex">
      <legend className="sr-only">View</legend>
      <Choice label="Desktop" on={!phone} onClick={() => onView({ dark, phone: false })} />
      <Choice label="Phone" on={phone} onClick={() => onView({ dark, phone: true })} />
      <Choice label="Dark" on={dark} onClick={() => onView({ phone, dark: !dark })} />
    </fieldset>
  )
}

const Choice = ({ on, onClick, label }: { on: boolean; onClick(): void; label: string }) => (
  <button
    type="button"
    aria-pressed={on}
    onClick={onClick}
    className="h-7 rounded-md px-2 text-xs text-muted aria-pressed:bg-sunken aria-pressed:text-ink"
  >
    {label}
  </button>
)
