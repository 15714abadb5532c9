import { type Dispatch, type SetStateAction, Suspense, useLayoutEffect, useState } from "react"
import { lazy } from "../lazy.ts"
import { LOADING_DIALOG } from "../loading-dialog.tsx"

const Palette = lazy(() => import("./palette.tsx"))

export type SetText = Dispatch<SetStateAction<string>>

/** The palette. It keeps what somebody types while its code loads. */
export function PaletteAhead({ onClose, onHelp }: { onClose(): void; onHelp(): void }) {
  const [text, setText] = useState("")
  const [isFocused, setFocused] = useState(false)
  const [isEntered, setEntered] = useState(false)
  return (
    <>
      {!isFocused && <TypedAhead onType={setText} onEnter={() => setEntered(true)} />}
      <Suspense fallback={LOADING_DIALOG}>
        <Palette
          {...{ text, setText, isEntered, onClose, onHelp }}
          onFocus={() => setFocused(true)}
        />
      </Suspense>
    </>
  )
}

/** Takes the letters before they get into a field of the page. */
function TypedAhead({ onType, onEnter }: { onType: SetText; onEnter(): void }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: it only sets a state
  useLayoutEffect(() => {
    const keep = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey } = event
      if ((ctrlKey || metaKey) && !event.getModifierState("AltGraph")) return
      if (key === "Backspace") onType((text) => text.slice(0, -1))
      else if (key === "Enter") onEnter()
      else if ([...key].length === 1) onType((text) => text + key)
      else return
      event.preventDefault()
    }
    addEventListener("keydown", keep, true)
    return () => removeEventListener("keydown", keep, true)
  }, [onType])
  return null
}
