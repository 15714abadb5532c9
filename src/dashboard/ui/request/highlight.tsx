const TOKENS =
  /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|\b(await|const|curl|defer|echo|export|func|function|if|import|new|package|panic|print|puts|require|return)\b/g

/** Code whose words and texts stand out from its punctuation. Colours are reserved for states. */
export function Highlight({ code }: { code: string }) {
  const parts = code.split(TOKENS)
  return (
    <span className="text-muted">
      {parts.map((part, index) => {
        if (!part) return null
        const kind = index % 3
        if (kind === 0) return part
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their places
          <span key={index} className={kind === 1 ? "text-ink" : "font-semibold text-ink"}>
            {part}
          </span>
        )
      })}
    </span>
  )
}
