import { EdgepostError, toError } from "../../client/error.ts"
import { readJson } from "../../lib/json.ts"
import type { createImage } from "../../worker/images/contract.ts"
import { chosenTeam, type ReplyOf, sessionEnded } from "./session.ts"

export type UploadedImage = ReplyOf<typeof createImage>

/** Unlike fetch, this request tells how much of the file was sent: a share from 0 to 1. */
export function uploadImage(
  file: Blob,
  onProgress: (share: number) => void,
): Promise<UploadedImage> {
  const request = new XMLHttpRequest()
  request.open("POST", "/dashboard/api/images")
  request.setRequestHeader("accept", "application/json")
  const team = chosenTeam.get()
  if (team) request.setRequestHeader("x-team-id", team)
  request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total)
  return new Promise((resolve, reject) => {
    request.onerror = () =>
      reject(new EdgepostError({ code: "network_error", message: "The connection failed." }))
    request.onload = () => {
      const json = readJson(request.responseText)
      if (request.status === 201 && json !== undefined) return resolve(json as UploadedImage)
      if (request.status === 401) sessionEnded.set(true)
      reject(toError(replyOf(request), json))
    }
    request.send(file)
  })
}

function replyOf(request: XMLHttpRequest): Response {
  const id = request.getResponseHeader("x-request-id")
  return new Response(null, { status: request.status, headers: id ? { "x-request-id": id } : {} })
}
