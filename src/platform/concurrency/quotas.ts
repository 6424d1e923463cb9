/** Keys of the caller and the organization on whose behalf work runs. */
export interface SlotOwner {
  caller: string
  organization: string
}

export type QuotaScope = keyof SlotOwner | 'total'

/** Maximum slots, or queue entries: in total, of one caller, and of one organization. */
export type Quotas = Readonly<Record<QuotaScope, number>>

const OWNER_SCOPES = ['caller', 'organization'] as const

/** The amount in use, in total and by owner. Work without an owner counts only in the total. */
export class Usage {
  total = 0
  readonly #byOwner = { caller: new Map<string, number>(), organization: new Map<string, number>() }

  add(amount: number, owner?: SlotOwner): void {
    this.total += amount
    if (!owner) return
    for (const scope of OWNER_SCOPES) {
      const sum = this.#of(scope, owner) + amount
      if (sum > 0) this.#byOwner[scope].set(owner[scope], sum)
      else this.#byOwner[scope].delete(owner[scope])
    }
  }

  /** The first quota that a further amount would exceed. */
  exceeded(quotas: Quotas, amount: number, owner?: SlotOwner): QuotaScope | undefined {
    const ofOwner = owner && OWNER_SCOPES.find((scope) => this.#of(scope, owner) + amount > quotas[scope])
    return ofOwner ?? (this.total + amount > quotas.total ? 'total' : undefined)
  }

  #of(scope: keyof SlotOwner, owner: SlotOwner): number {
    return this.#byOwner[scope].get(owner[scope]) ?? 0
  }
}
