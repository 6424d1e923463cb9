import { createHash } from 'node:crypto'
import { storedSystem } from './codings.js'
import { idOf } from './references.js'

type CodeInput = string | { code: string }

type Identifier = { system: string; value: string; assigner: string | null }

/** An item of a bulk create, as it is sent. */
export interface ItemInput {
  catalogueItemType: string
  identifiers?: (Omit<Identifier, 'assigner'> & { assigner?: string | null })[] | null
  catalogue: string
  name: string
  description?: string | null
  status?: CodeInput | null
  manufacturer?: string | null
  model?: string | null
  version?: string | null
  relatedTo?: string | null
  serviceType?: CodeInput | null
  annotations?: AnnotationInput[] | null
}

interface AnnotationInput {
  buyer: string
  name: string
  value: { system: string; code: string; display?: string | null }
}

/** What is inserted for the items of a bulk create, table by table. */
export function rowsOf(inputs: readonly ItemInput[], newId: () => string, createdAt: Date) {
  const items = inputs.map((input) => ({ id: newId(), ...itemValues(input), createdAt }))
  const itemIdentifiers = items.flatMap(({ id, catalogueId, identifiers }) =>
    identifiers.map((identifier) => ({ catalogueId, digest: digestOf(identifier), itemId: id }))
  )
  const annotations = items.flatMap(({ id }, at) =>
    (inputs[at]?.annotations ?? []).map((each) => ({
      id: newId(),
      itemId: id,
      ...annotationValues(each),
      createdAt
    }))
  )
  return { items, itemIdentifiers, annotations }
}

function itemValues(input: ItemInput) {
  const identifiers = identifiersOf(input)
  const { name, model = null, manufacturer = null } = input
  const searched = [name, model, manufacturer, ...identifiers.map((each) => each.value)]
  return {
    catalogueId: idOf(input.catalogue),
    type: input.catalogueItemType,
    identifiers,
    name,
    description: input.description ?? null,
    status: codeOf(input.status) ?? 'AVAILABLE',
    manufacturer,
    model,
    version: input.version ?? null,
    relatedToId: input.relatedTo ? idOf(input.relatedTo) : null,
    serviceType: codeOf(input.serviceType),
    searchText: searched.filter(Boolean).join(' ').toLowerCase()
  }
}

const identifiersOf = ({ identifiers }: ItemInput): Identifier[] =>
  (identifiers ?? []).map(({ system, value, assigner = null }) => ({ system, value, assigner }))

const codeOf = (input: CodeInput | null | undefined) =>
  typeof input === 'string' ? input : (input?.code ?? null)

const annotationValues = ({ buyer, name, value }: AnnotationInput) => ({
  buyerId: idOf(buyer),
  name,
  system: storedSystem(value.system),
  code: value.code,
  display: value.display ?? null
})

const digestOf = ({ system, value }: Identifier) =>
  createHash('sha256')
    .update(JSON.stringify([system, value]))
    .digest('base64')
