/**
 * The ranges that an `Accept` or `Accept-Language` header accepts, in lower case and without
 * parameters, by descending weight (RFC 9110, section 12.4.2). Those of the same weight keep their
 * order.
 */
export function acceptedRanges(header: string | undefined): string[] {
  const ranges = (header?.split(',') ?? []).map((text) => {
    const [range = '', ...parameters] = text.split(';')
    const weights = parameters.map((each) => /^\s*q=([\d.]+)\s*$/i.exec(each)?.[1])
    const weight = Number(weights.find((each) => each !== undefined) ?? 1)
    return { range: range.trim().toLowerCase(), weight }
  })
  return ranges
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ range }) => range)
}
