import { Dialog } from "./dialog.tsx"

/** For an ID in the address that belongs to nothing. */
export const NotFoundDialog = ({ noun, onClose }: { noun: string; onClose(): void }) => (
  <Dialog open onOpenChange={onClose} title={`${noun} not found`}>
    <p>It may have been deleted.</p>
  </Dialog>
)
