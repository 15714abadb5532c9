import { LOGO } from "../../lib/logo.ts"

const IMAGE = `data:image/svg+xml,${encodeURIComponent(LOGO)}`

export const Logo = ({ size }: { size: number }) => (
  <img src={IMAGE} alt="" width={size} height={size} className="shrink-0" />
)
