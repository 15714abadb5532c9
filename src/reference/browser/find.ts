export interface Entry {
  id: string
  title: string
  method: string
  chapter: string
  path: string
  text: string
}

/** The entries that have all words, the best first: title, then path, then text. */
export const find = (entries: readonly Entry[], words: readonly string[]): Entry[] =>
  entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ entry }) => entry)

function scoreOf(entry: Entry, words: readonly string[]): number {
  const scores = words.map((word) => scoreOfWord(entry, word))
  return scores.includes(0) ? 0 : scores.reduce((sum, one) => sum + one)
}

function scoreOfWord({ title, method, chapter, path, text }: Entry, word: string): number {
  const name = title.toLowerCase()
  if (name === word) return 20
  if (name.startsWith(word)) return 12
  if (name.includes(word)) return 10
  if (method.toLowerCase() === word) return 8
  if (path.toLowerCase().includes(word)) return 7
  if (chapter.toLowerCase().includes(word)) return 5
  return text.toLowerCase().includes(word) ? 1 : 0
}
