/** A value in a JSON Patch: a coding may be its code, and members with a default may be absent. */
export type PatchValue<T> = T extends { system: string; code: infer C }
  ? C | { system: string; code: C; display?: string | null }
  : T extends readonly (infer E)[]
    ? PatchValue<E>[]
    : T extends object
      ? { [K in keyof T]?: PatchValue<T[K]> }
      : T

type Write<P extends string, V> = { op: 'add' | 'replace' | 'test'; path: P; value: V }

type MemberPatch<K extends string, V> =
  | Write<`/${K}`, PatchValue<V>>
  | { op: 'remove'; path: `/${K}` | `/${K}/${string}` }
  | (NonNullable<V> extends readonly (infer E)[]
      ? Write<`/${K}/-` | `/${K}/${number}`, PatchValue<E>>
      : NonNullable<V> extends object
        ? {
            [M in keyof NonNullable<V> & string]: Write<`/${K}/${M}`, PatchValue<NonNullable<V>[M]>>
          }[keyof NonNullable<V> & string]
        : never)

/**
 * An operation of a JSON Patch of a resource. The paths and values are those of its members, so
 * that a misspelt path or status does not compile.
 */
export type PatchOf<T> = {
  [K in keyof T & string]-?: MemberPatch<K, Exclude<T[K], undefined>>
}[keyof T & string]
