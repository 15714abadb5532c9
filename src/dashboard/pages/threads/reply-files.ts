import { chosenTeam } from "../../api/session.ts"

const STORE = "files"
const MAX_FILES = 20
const MAX_BYTES = 10 * 1024 * 1024

const answerOf = <T>(request: IDBRequest<T>) =>
  new Promise<T>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

async function ask<T>(act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const opening = indexedDB.open("replies")
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE)
  const database = await answerOf(opening)
  try {
    return await answerOf(act(database.transaction(STORE, "readwrite").objectStore(STORE)))
  } finally {
    database.close()
  }
}

const placeOf = (threadId: string) => `${chosenTeam.get()} ${threadId}`

/** The files of a reply, which this browser keeps until the server has them. They outlive the tab. */
export const readFiles = async (threadId: string): Promise<readonly File[]> =>
  (await ask((store) => store.get(placeOf(threadId)) as IDBRequest<File[] | undefined>)) ?? []

export async function keepFiles(threadId: string, files: readonly File[]): Promise<void> {
  if (files.length > MAX_FILES) throw new Error(`A reply has at most ${MAX_FILES} files.`)
  if (files.reduce((sum, { size }) => sum + size, 0) > MAX_BYTES) {
    throw new Error("The files of a reply have at most 10 MB together.")
  }
  const place = placeOf(threadId)
  if (files.length > 0) await ask((store) => store.put(files, place))
  else await ask((store) => store.delete(place))
}

export const clearFiles = () => ask((store) => store.clear())

export const toAttachments = (files: readonly File[]) =>
  Promise.all(files.map(async (file) => ({ filename: file.name, content: await toBase64(file) })))

async function toBase64(file: File): Promise<string> {
  const reader = new FileReader()
  const read = new Promise((resolve, reject) => {
    reader.onload = resolve
    reader.onerror = () => reject(reader.error)
  })
  reader.readAsDataURL(file)
  await read
  return String(reader.result).replace(/^[^,]*,/, "")
}
