const LINK = /(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]}'])/

/** Text as it was written, with its links. */
export const PlainText = ({ text }: { text: string }) => (
  <p className="whitespace-pre-wrap wrap-anywhere">
    {text.split(LINK).map((part, index) =>
      index % 2 === 0 ? (
        part
      ) : (
        <a
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their places
          key={index}
          href={part}
          target="_blank"
          rel="noopener noreferrer"
          className="underline underline-offset-2"
        >
          {part}
        </a>
      ),
    )}
  </p>
)
