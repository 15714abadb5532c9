/** Older browsers cannot read the options as JSON. */
export const canUsePasskeys =
  "PublicKeyCredential" in globalThis && "parseRequestOptionsFromJSON" in PublicKeyCredential

/** Null: the person closed the browser's question. */
export const answerPasskey = (options: object) =>
  ask(() =>
    navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(
        options as PublicKeyCredentialRequestOptionsJSON,
      ),
    }),
  )

/** Makes a new passkey on this device. Null: the person closed the browser's question. */
export const makePasskey = (options: object) =>
  ask(() =>
    navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(
        options as PublicKeyCredentialCreationOptionsJSON,
      ),
    }),
  )

async function ask(question: () => Promise<Credential | null>) {
  try {
    const credential = (await question()) as PublicKeyCredential | null
    return credential?.toJSON() ?? null
  } catch (error) {
    if (error instanceof DOMException && error.name === "NotAllowedError") return null
    if (error instanceof DOMException && error.name === "InvalidStateError") {
      throw new Error("This device already has a passkey for this account.")
    }
    throw error
  }
}
