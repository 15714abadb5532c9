import type { ReactNode } from "react"
import { Card } from "../../../ui/page.tsx"

export const Fold = ({
  title,
  isOpen,
  children,
}: {
  title: ReactNode
  /** How it begins. */
  isOpen?: boolean
  children: ReactNode
}) => (
  <Card className="p-0">
    <details open={isOpen}>
      <summary className="cursor-pointer p-4 font-medium">{title}</summary>
      <div className="px-4 pb-4">{children}</div>
    </details>
  </Card>
)
