import type { ReactNode } from "react"
import { Button } from "../ui/button.tsx"
import { useFilters } from "./params.ts"

/** Opens the page's dialog for a new object. The URL says that the dialog is open. */
export function NewButton({ children }: { children: ReactNode }) {
  const [, setFilters] = useFilters()
  return (
    <Button kind="primary" onClick={() => setFilters({ new: "true" })}>
      {children}
    </Button>
  )
}
