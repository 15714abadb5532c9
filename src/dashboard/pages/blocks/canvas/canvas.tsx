import { type ReactNode, Suspense } from "react"
import type { Block, blocks, Theme } from "../../../../worker/campaigns/blocks/contract.ts"
import type { Sender } from "../../../../worker/teams/contract.ts"
import { lazy } from "../../../app/lazy.ts"
import { Skeleton } from "../../../ui/waiting.tsx"
import type { Draft } from "../draft/draft.ts"
import type { UndoRedo } from "./undo-keys.ts"

export interface BlockCanvasProps {
  /** From `toDrafts`. The owner keeps them, with their history: see `useHistory`. */
  blocks: readonly Draft[]
  /** What the API takes. Without it, all blocks but HTML. */
  schema?: typeof blocks
  /** The theme to draw with. */
  theme: Theme | null
  /** Changes of the same `step` soon after each other are undone together. */
  onChange(next: (blocks: readonly Draft[]) => readonly Draft[], step?: string): void
  history: UndoRedo & { restores: number }
  /** The merge fields that the menus offer. */
  mergeFields: readonly string[]
  /** Blocks of layouts around the message. They are shown, not edited. */
  before?: readonly Block[]
  after?: readonly Block[]
  /** Draws the footer of a campaign, with the link to unsubscribe. */
  sender?: Sender
  /** Settings of the whole message, such as its theme: beside the canvas, or below it. */
  aside?: ReactNode
}

const Canvas = lazy(() =>
  import("./block-canvas.tsx").then(({ BlockCanvas }) => ({ default: BlockCanvas })),
)

/** The message as it will look, edited in place. The page is shown before this code is loaded. */
export const BlockCanvas = (props: BlockCanvasProps) => (
  <Suspense fallback={<Skeleton lines={8} />}>
    <Canvas {...props} />
  </Suspense>
)
