import * as z from "zod"
import { endpoint } from "../platform/http/endpoint.ts"
import { exampleId } from "../platform/http/example.ts"
import { MIB } from "../platform/http/input/body.ts"

export const MAX_IMAGE_BYTES = 5 * MIB

const image = z
  .object({
    id: z.string(),
    url: z.string().describe("Public, but nobody can guess it. Its content never changes."),
    width: z.int().describe("In pixels."),
    height: z.int(),
  })
  .meta({
    id: "Image",
    example: {
      id: exampleId("image"),
      url: "https://mail.example.com/i/lH0gY4n3Tt6yqD1cF9sXWA.png",
      width: 1200,
      height: 600,
    },
  })
export type Image = z.output<typeof image>

export const createImage = endpoint({
  access: "session",
  tag: "Images",
  name: "images.create",
  call: "POST /images",
  dashboardRole: "member",
  summary: "Upload an image",
  description:
    "The body is the file: png, jpeg, gif or webp of up to 5 MB and 50 megapixels, whatever its content type says. What a camera wrote about place, time and device is taken out. The same file again answers the same image. A team has at most 1,000 images, of 1 GB in all (`conflict`). An image is deleted when no campaign, sequence, form, layout, template or brand of the team has named it for 30 days.",
  fileType: "image/*",
  maxBytes: MAX_IMAGE_BYTES,
  status: 201,
  response: image,
})
