import { EdgepostError, toError } from "../../client/error.ts"
import { readJson } from "../../lib/json.ts"
import type { createImage } from "../../worker/images/contract.ts"
import { TIMEOUT_MS } from "./api.ts"
import { chosenTeam, type ReplyOf, sessionEnded } from "./session.ts"

type UploadedImage = ReplyOf<typeof createImage>

/**
 * Unlike fetch, this request tells how much of the file was sent: a share from 0 to 1. It fails when
 * nothing has moved for as long as another call may take.
 */
export async function uploadImage(
  file: Blob,
  signal: AbortSignal,
  onProgress: (share: number) => void = () => {},
): Promise<UploadedImage> {
  signal.throwIfAborted()
  const request = new XMLHttpRequest()
  request.open("POST", "/dashboard/api/images")
  request.setRequestHeader("accept", "application/json")
  const team = chosenTeam.get()
  if (team) request.setRequestHeader("x-team-id", team)
  return new Promise((resolve, reject) => {
    const fail = () =>
      reject(new EdgepostError({ code: "network_error", message: "The connection failed." }))
    let timer: ReturnType<typeof setTimeout>
    const wait = () => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        fail()
        request.abort()
      }, TIMEOUT_MS)
    }
    request.upload.onprogress = ({ loaded, total }) => {
      wait()
      onProgress(total === 0 ? 1 : loaded / total)
    }
    request.onerror = fail
    request.onabort = () => reject(signal.reason)
    request.onloadend = () => clearTimeout(timer)
    request.onload = () => {
      const json = readJson(request.responseText)
      if (request.status === 201 && json !== undefined) return resolve(json as UploadedImage)
      if (request.status === 401) sessionEnded.set(true)
      reject(toError(replyOf(request), json))
    }
    signal.addEventListener("abort", () => request.abort())
    wait()
    request.send(file)
  })
}

function replyOf(request: XMLHttpRequest): Response {
  const id = request.getResponseHeader("x-request-id")
  return new Response(null, { status: request.status, headers: id ? { "x-request-id": id } : {} })
}
