/** Files that people attach and nodemailer does not know, by the end of their names. */
const MORE_TYPES = new Map([
  ["asc", "application/pgp-signature"],
  ["avif", "image/avif"],
  ["flac", "audio/flac"],
  ["gpx", "application/gpx+xml"],
  ["heic", "image/heic"],
  ["heif", "image/heif"],
  ["key", "application/vnd.apple.keynote"],
  ["m4a", "audio/mp4"],
  ["md", "text/markdown"],
  ["mkv", "video/x-matroska"],
  ["numbers", "application/vnd.apple.numbers"],
  ["ogg", "audio/ogg"],
  ["opus", "audio/ogg"],
  ["pages", "application/vnd.apple.pages"],
  ["pem", "application/x-pem-file"],
  ["pkpass", "application/vnd.apple.pkpass"],
  ["pkpasses", "application/vnd.apple.pkpasses"],
  ["psd", "image/vnd.adobe.photoshop"],
  ["yaml", "application/yaml"],
  ["yml", "application/yaml"],
])

/** The type of a file, by its name. */
export async function fileTypes(): Promise<(filename: string) => string> {
  const { detectMimeType } = await import("nodemailer/lib/mime-funcs")
  return (filename) => {
    const end = filename.slice(filename.lastIndexOf(".") + 1).toLowerCase()
    return MORE_TYPES.get(end) ?? detectMimeType(filename)
  }
}
