/** What is wrong with a cell, to be written at it. */
export interface Mark {
  /** The sheet's name. */
  sheet: string
  /** Such as C7. */
  cell: string
  text: string
}
