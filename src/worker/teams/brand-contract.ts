import * as z from "zod"
import { imageSource, theme } from "../campaigns/blocks/theme.ts"
import { lines } from "../platform/http/shapes.ts"

const MAX_FOOTER_CHARACTERS = 500

/** What the team's mail looks like. The editor of blocks uses it; what is written already stays. */
export const brand = theme
  .omit({ contentWidth: true })
  .extend({
    logoUrl: imageSource.optional(),
    footerText: lines(MAX_FOOTER_CHARACTERS, z.string().trim().min(1)).optional(),
  })
  .meta({
    id: "Brand",
    description: "Colors, font, logo and footer that new campaigns and layouts begin with.",
  })
export type Brand = z.output<typeof brand>
