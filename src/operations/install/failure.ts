/** The reason why an installation stopped, and how to fix it. */
export class Failure extends Error {
  readonly remedy: string

  constructor(reason: string, remedy: string) {
    super(reason)
    this.remedy = remedy
  }
}

export const AGAIN = "Run the same command again: it goes on where it stopped."
export const OTHER_NAME = "Choose another name for the installation: npm run deploy -- URL NAME."
