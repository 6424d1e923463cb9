/** Codes to choose from, in a `select`. */
export const CodeOptions = ({ codes }: { codes: ReadonlyMap<string, string> }) => (
  <>
    {[...codes].map(([code, text]) => (
      <option key={code} value={code}>
        {text}
      </option>
    ))}
  </>
)
