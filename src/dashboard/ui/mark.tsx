import { MARK } from "../../lib/mark.ts"

const IMAGE = `data:image/svg+xml,${encodeURIComponent(MARK)}`

export const Mark = ({ size }: { size: number }) => (
  <img src={IMAGE} alt="" width={size} height={size} className="shrink-0" />
)
