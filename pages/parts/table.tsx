import type { ComponentChildren } from 'preact'

/**
 * A table in a region that scrolls. Roles are explicit: narrow pages show rows as blocks, and some
 * browsers then drop the table semantics.
 */
export function DataTable({
  label,
  heads,
  rows
}: {
  label: string
  heads: readonly string[]
  rows: readonly (readonly ComponentChildren[])[]
}) {
  return (
    <section class="wide" tabindex={0} aria-label={label}>
      <table role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {heads.map((head) => (
              <th key={head} scope="col" role="columnheader">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((cells, row) => (
            <tr key={row} role="row">
              {cells.map((cell, at) => (
                <td key={heads[at]} role="cell" data-head={heads[at]}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
