import type { ReactNode } from "react"
import { Button } from "../ui/button.tsx"
import { useFilters } from "./params.ts"

/** Opens the dialog of the page that creates something, which stands in the URL. */
export function NewButton({ children }: { children: ReactNode }) {
  const [, setFilters] = useFilters()
  return (
    <Button kind="primary" onClick={() => setFilters({ new: "true" })}>
      {children}
    </Button>
  )
}
