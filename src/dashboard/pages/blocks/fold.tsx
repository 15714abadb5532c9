import type { ReactNode } from "react"
import { Card } from "../../ui/page.tsx"

export const Fold = ({ title, children }: { title: string; children: ReactNode }) => (
  <Card className="p-0">
    <details>
      <summary className="cursor-pointer p-4 font-medium">{title}</summary>
      <div className="px-4 pb-4">{children}</div>
    </details>
  </Card>
)
