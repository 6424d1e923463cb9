// Generated from the documents in openapi: npm run client

/** An annotation of an item by a buyer. */
export type Annotation = {
  /** Opaque id, assigned by the server. */ id: string
  /** URL of the annotated item. */
  catalogueItem: string
  /** URL of the buying party that owns the annotation. */
  buyer: string
  /** Name of the annotation. */
  name: string
  /** Value of the annotation. */
  value: Coding
}

/** An annotation of an item by a buyer. */
export type AnnotationInput = {
  /** Null or absent. The server assigns the id. */ id?: null | undefined
  /** URL of the annotated item. */
  catalogueItem: string
  /** URL of the buying party that owns the annotation. */
  buyer: string
  /** Name of the annotation, without | and :. Reserved names, such as ehealth/device-type, have their own value sets. */
  name: string
  /** Value, from the value set of the name. */
  value: CodingInput
}

/** The full replacement of an annotation. */
export type AnnotationReplacement = {
  /** Id of the annotation. */ id?: string | null | undefined
  /** URL of the annotated item. */
  catalogueItem: string
  /** URL of the buying party that owns the annotation. */
  buyer: string
  /** Name of the annotation, without | and :. Reserved names, such as ehealth/device-type, have their own value sets. */
  name: string
  /** Value, from the value set of the name. */
  value: CodingInput
}

/** Record of who read or wrote which patients’ data (FHIR R4 AuditEvent). */
export type AuditEvent = {
  /** Always AuditEvent. */ resourceType: string
  /** Opaque id, assigned by the server. */
  id: string
  /** Always a REST request. */
  type: {
    /** Code system, a URI. */ system: string
    /** Code within the system. */
    code: string
  }
  /** The requested operation. */
  subtype: readonly {
    /** Code system, a URI. */ system: string
    /** Code within the system. */
    code: string
  }[]
  /** C, R, U or D: create, read, update, delete. */
  action: 'C' | 'R' | 'U' | 'D'
  /** Time of the request (UTC). */
  recorded: string
  /** 0: success. 4: refused. 8: failed. */
  outcome: '0' | '4' | '8'
  /** Code of the problem in the response. */
  outcomeDesc?: string | undefined
  /** The caller and its organization. */
  agent: readonly {
    /** Kind of caller. */
    type?:
      | {
          /** User type. */ text: string
        }
      | undefined
    /** The person or thing referred to. */
    who?:
      | {
          /** URL of the resource. */ reference?: string | undefined
          /** Identifier of what has no URL: a keyed hash, a request id, a user. */
          identifier?:
            | {
                /** Kind of identifier. */
                type?:
                  | {
                      /** `hmac-sha256` for the keyed hash of a reference. */ text: string
                    }
                  | undefined
                /** The identifier. A hash is base64url of its first 16 bytes. */
                value: string
              }
            | undefined
        }
      | undefined
    /** True for the caller, false for the organization. */
    requestor: boolean
  }[]
  /** The recording service. */
  source: {
    /** The service. */
    observer: {
      /** Base address of the service. */ display: string
    }
  }
  /** The patients, the orders and the request. */
  entity: readonly {
    /** The person or thing referred to. */
    what: {
      /** URL of the resource. */ reference?: string | undefined
      /** Identifier of what has no URL: a keyed hash, a request id, a user. */
      identifier?:
        | {
            /** Kind of identifier. */
            type?:
              | {
                  /** `hmac-sha256` for the keyed hash of a reference. */ text: string
                }
              | undefined
            /** The identifier. A hash is base64url of its first 16 bytes. */
            value: string
          }
        | undefined
    }
    /** Person (1), system object (2), or the id of the request. */
    type: {
      /** Code system, a URI. */ system: string
      /** Code within the system. */
      code: string
    }
    /** Patient (1) or domain resource (4). */
    role?:
      | {
          /** Code system, a URI. */ system: string
          /** Code within the system. */
          code: string
        }
      | undefined
  }[]
}

/** Forbids ordering an item for a patient. */
export type BlackListEntry = {
  /** Opaque id, assigned by the server. */ id: string
  /** URL of the clinical Patient. */
  patient: string
  /** URL of the catalogue item. */
  item: string
}

/** Forbids ordering an item for a patient. */
export type BlackListInput = {
  /** Null or absent. The server assigns the id. */ id?: null | undefined
  /** URL of the clinical Patient. */
  patient: string
  /** URL of the catalogue item. */
  item: string
}

/** A catalogue of what a provider delivers. */
export type Catalogue = {
  /** Opaque id, assigned by the server. */ id: string
  /** Identifiers assigned by other systems. */
  identifiers: readonly Identifier[]
  /** URL of the delivering party. */
  seller: string
  /** Name of the catalogue. */
  name: string
  /** DRAFT, ACTIVE or INACTIVE, from the value set catalogue-status. */
  status: CatalogueStatusCoding
}

/** A catalogue of what a provider delivers. */
export type CatalogueInput = {
  /** Null or absent. The server assigns the id. */ id?: null | undefined
  /** Identifiers assigned by other parties. */
  identifiers?: readonly IdentifierInput[] | null | undefined
  /** URL of the delivering party. It has the role SELLER. */
  seller: string
  /** Name of the catalogue. */
  name: string
  /** DRAFT (default), ACTIVE or INACTIVE, as the code or as a Coding. */
  status?: 'DRAFT' | 'ACTIVE' | 'INACTIVE' | null | undefined
}

/** A device model or a service that a provider delivers. */
export type CatalogueItem = {
  /** Opaque id, assigned by the server. */ id: string
  /** DeviceModel or Service. */
  catalogueItemType: 'DeviceModel' | 'Service'
  /** Identifiers assigned by other systems. */
  identifiers: readonly Identifier[]
  /** URL of the catalogue. */
  catalogue: string
  /** Name of the item. */
  name: string
  /** Description of the item. */
  description: string | null
  /** AVAILABLE, UNAVAILABLE or DISCONTINUED. */
  status: 'AVAILABLE' | 'UNAVAILABLE' | 'DISCONTINUED'
  /** DeviceModel: manufacturer. */
  manufacturer?: string | undefined
  /** DeviceModel: model. */
  model?: string | undefined
  /** DeviceModel: version. */
  version?: string | null | undefined
  /** Service: URL of the device model that it relates to. */
  relatedTo?: string | null | undefined
  /** Service: its type, from the value set service-type. */
  serviceType?: ServiceTypeCoding | undefined
  /** Annotations of the buyer named in the query. */
  annotations?: readonly Annotation[] | undefined
}

/** A device model or a service that a provider delivers. */
export type CatalogueItemInput = {
  /** Null or absent. The server assigns the id. */ id?: null | undefined
  /** Annotations that are created with the item. */
  annotations?: readonly ItemAnnotationInput[] | null | undefined
  /** DeviceModel or Service. */
  catalogueItemType: 'DeviceModel' | 'Service'
  /** Identifiers assigned by other parties. */
  identifiers?: readonly IdentifierInput[] | null | undefined
  /** URL of the catalogue. */
  catalogue: string
  /** Name of the item. */
  name: string
  /** Description of the item. */
  description?: string | null | undefined
  /** AVAILABLE (default), UNAVAILABLE or DISCONTINUED, as the code or as a Coding. */
  status?: 'AVAILABLE' | 'UNAVAILABLE' | 'DISCONTINUED' | null | undefined
  /** DeviceModel: manufacturer. Required there, null or absent for a Service. */
  manufacturer?: string | null | undefined
  /** DeviceModel: model. Required there, null or absent for a Service. */
  model?: string | null | undefined
  /** DeviceModel: version. Null or absent for a Service. */
  version?: string | null | undefined
  /** Service: URL of the device model, of the same seller, that it relates to. Null or absent for a DeviceModel. */
  relatedTo?: string | null | undefined
  /** Service: its type, such as DELIVER or REPAIR, as a Coding or as the bare code. Required there, null or absent for a DeviceModel. */
  serviceType?: ServiceTypeCodingInput | ServiceTypeCodingInput['code'] | null | undefined
}

/** A device model or a service that a provider delivers. */
export type CatalogueItemReplacement = {
  /** Id of the item. */ id?: string | null | undefined
  /** Accepted as a search returns them, and ignored: annotations are replaced on their own. */
  annotations?: readonly ReturnedAnnotationInput[] | null | undefined
  /** DeviceModel or Service. */
  catalogueItemType: 'DeviceModel' | 'Service'
  /** Identifiers assigned by other parties. */
  identifiers?: readonly IdentifierInput[] | null | undefined
  /** URL of the catalogue. */
  catalogue: string
  /** Name of the item. */
  name: string
  /** Description of the item. */
  description?: string | null | undefined
  /** AVAILABLE (default), UNAVAILABLE or DISCONTINUED, as the code or as a Coding. */
  status?: 'AVAILABLE' | 'UNAVAILABLE' | 'DISCONTINUED' | null | undefined
  /** DeviceModel: manufacturer. Required there, null or absent for a Service. */
  manufacturer?: string | null | undefined
  /** DeviceModel: model. Required there, null or absent for a Service. */
  model?: string | null | undefined
  /** DeviceModel: version. Null or absent for a Service. */
  version?: string | null | undefined
  /** Service: URL of the device model, of the same seller, that it relates to. Null or absent for a DeviceModel. */
  relatedTo?: string | null | undefined
  /** Service: its type, such as DELIVER or REPAIR, as a Coding or as the bare code. Required there, null or absent for a DeviceModel. */
  serviceType?: ServiceTypeCodingInput | ServiceTypeCodingInput['code'] | null | undefined
}

/** The full replacement of a catalogue. */
export type CatalogueReplacement = {
  /** Id of the catalogue. */ id?: string | null | undefined
  /** Identifiers assigned by other parties. */
  identifiers?: readonly IdentifierInput[] | null | undefined
  /** URL of the delivering party. It has the role SELLER. */
  seller: string
  /** Name of the catalogue. */
  name: string
  /** DRAFT (default), ACTIVE or INACTIVE, as the code or as a Coding. */
  status?: 'DRAFT' | 'ACTIVE' | 'INACTIVE' | null | undefined
}

/** A code of the value set catalogue-status, after the HL7 FHIR Coding type. */
export type CatalogueStatusCoding = {
  /** Code system, a URI. */ system: string
  /** Code within the system. */
  code: 'DRAFT' | 'ACTIVE' | 'INACTIVE'
  /** Text for people. Null when the set has none. */
  display: string | null
}

/** An event (CloudEvents 1.0, JSON format). */
export type CloudEvent = {
  /** Version of CloudEvents. */ specversion: string
  /** Id of the event, the same in every repetition. */
  id: string
  /** Base address of the API. */
  source: string
  /** Type of the event: `order.created`, `order.submitted`, `order.status-changed`, `order.priority-changed`, `order.receiver-changed`, `order.note-added`, `order-line.added`, `order-line.status-changed`, `order-line.removed`, `party.changed`, `contract.changed`, `contract.expiring`, `catalogue.changed`, `catalogue-item.created`, `catalogue-item.changed`, `annotation.changed`, `white-list.changed`. */
  type: string
  /** URL of the resource. */
  subject: string
  /** Time of the event (UTC). */
  time: string
  /** Number of the event among those of its resource. A reader who may not see all of them sees gaps. */
  sequence: number
  /** Trace context of the request that caused the event. */
  traceparent?: string | undefined
  /** Media type of the data. */
  datacontenttype: string
  data: EventData
}

/** A coded value after the HL7 FHIR Coding type. */
export type Coding = {
  /** Code system, a URI. */ system: string
  /** Code within the system. */
  code: string
  /** Text for people. Null when the set has none. */
  display: string | null
}

/** A coded value after the HL7 FHIR Coding type, with system and code. */
export type CodingInput = {
  /** Code system, a URI. */ system: string
  /** Code within the system. */
  code: string
  /** Text for people; ignored on input. */
  display?: string | null | undefined
  /** Version of the code system; ignored on input. */
  version?: string | null | undefined
  /** Whether a person chose the code; ignored on input. */
  userSelected?: boolean | null | undefined
}

/** An agreement under which a provider delivers to buyers. */
export type Contract = {
  /** Opaque id, assigned by the server. */ id: string
  /** Name of the contract. */
  name: string
  validityPeriod: Period
  /** URL of the delivering party. */
  seller: string
  /** URL of the paying party. */
  account: string
  /** URLs of the parties that may order. */
  buyer: readonly string[]
  /** Number of days before the end from which the contract counts as expiring. */
  reminderDays: number | null
}

/** An agreement under which a provider delivers to buyers. */
export type ContractInput = {
  /** Null or absent. The server assigns the id. */ id?: null | undefined
  /** Name of the contract. */
  name: string
  validityPeriod: PeriodInput
  /** URL of the delivering party. It has the role SELLER. */
  seller: string
  /** URL of the paying party. It has the role ACCOUNTING. */
  account: string
  /** URLs of the parties that may order. */
  buyer: readonly string[]
  /** Number of days before the end from which the contract counts as expiring. */
  reminderDays?: number | null | undefined
}

/** The full replacement of a contract. */
export type ContractReplacement = {
  /** Id of the contract. */ id?: string | null | undefined
  /** Name of the contract. */
  name: string
  validityPeriod: PeriodInput
  /** URL of the delivering party. It has the role SELLER. */
  seller: string
  /** URL of the paying party. It has the role ACCOUNTING. */
  account: string
  /** URLs of the parties that may order. */
  buyer: readonly string[]
  /** Number of days before the end from which the contract counts as expiring. */
  reminderDays?: number | null | undefined
}

/** The id of a new subscription, and its secret. */
export type CreatedSubscription = {
  /** Opaque id, assigned by the server. */ id: string
  /** Secret of the signatures. Shown only once. */
  secret: string
}

/** An attempt to deliver an event. */
export type DeliveryAttempt = {
  /** Time of the attempt (UTC). */ time: string
  /** Id of the event. */
  event: string
  /** Type of the event. */
  type: string
  /** Number of the attempt. */
  attempt: number
  /** `DELIVERED`, `STATUS_` and the status of the response, `TIMEOUT`, `CONNECTION_FAILED`, `ADDRESS_REFUSED`, `TARGET_NOT_ALLOWED` or `SECRET_UNREADABLE`. */
  result: string
  /** Duration in milliseconds. */
  durationMs: number
}

/** What the event is about. Read the resource for its content. */
export type EventData = {
  /** Kind of the resource. */ kind: string
  /** What happened to the resource. */
  change: 'created' | 'changed' | 'deleted'
  /** URL of the resource, as `subject`. */
  url: string
  /** Of a line: URL of its order. */
  order?: string | undefined
  /** Of an item: URL of its catalogue. */
  catalogue?: string | undefined
  /** Of an annotation or a white list entry: URL of its buying party. */
  buyer?: string | undefined
  /** Code of the status before. Absent if there was none. */
  oldStatus?: string | undefined
  /** Code of the status after. Absent for resources without one. */
  newStatus?: string | undefined
}

/** The form of the list with `expand`. */
export type ExpandedOrderLineList = {
  /** A page of the list, each entry an order line. */ entries: readonly OrderLine[]
  /** Only with `expand`: the resources by their URLs, those that the caller may read, each as it is read by its id. */
  expanded: Record<string, object>
}

/** The form of the list with `expand`. */
export type ExpandedOrderList = {
  /** A page of the list, each entry an order. */ entries: readonly Order[]
  /** Only with `expand`: the resources by their URLs, those that the caller may read, each as it is read by its id. */
  expanded: Record<string, object>
}

/** The resource with the fault. Absent when it is the one in the body. */
export type FaultyResource = {
  /** URL of the resource. */ url: string
  /** RFC 6901 pointer to the field in the resource. */
  pointer: string
}

/** A validation error of one field. */
export type FieldProblem = {
  /** RFC 6901 pointer to the field in the body. */ pointer: string
  /** What to change. */
  detail: string
  resource?: FaultyResource | undefined
  /** Which rule the field violates. */
  code:
    | 'append-only-notes'
    | 'bad-request'
    | 'black-listed'
    | 'busy'
    | 'catalogue-not-active'
    | 'clinical-backend-unavailable'
    | 'conflicting-ids'
    | 'cursor-too-old'
    | 'dangling-reference'
    | 'database-unavailable'
    | 'delivered-lines'
    | 'duplicate-annotation'
    | 'duplicate-buyer'
    | 'duplicate-entry'
    | 'duplicate-identifier'
    | 'expectation-failed'
    | 'failed-test'
    | 'fixed-organization'
    | 'fixed-seller'
    | 'fixed-type'
    | 'forbidden'
    | 'foreign-item'
    | 'format'
    | 'headers-too-large'
    | 'http-version-not-supported'
    | 'idempotency-key-reused'
    | 'illegal-transition'
    | 'incomplete-request'
    | 'internal-error'
    | 'invalid-body'
    | 'invalid-idempotency-key'
    | 'invalid-period'
    | 'invalid-query'
    | 'invalid-result'
    | 'item-not-available'
    | 'malformed-json'
    | 'malformed-text'
    | 'maxItems'
    | 'maxLength'
    | 'maximum'
    | 'method-not-allowed'
    | 'minItems'
    | 'minLength'
    | 'minimum'
    | 'no-consent'
    | 'no-contract'
    | 'no-open-lines'
    | 'not-allowed'
    | 'not-deletable'
    | 'not-found'
    | 'not-implemented'
    | 'not-initial-status'
    | 'not-white-listed'
    | 'not-your-move'
    | 'order-closed'
    | 'order-not-draft'
    | 'outcome-unknown'
    | 'party-in-use'
    | 'pattern'
    | 'payload-too-large'
    | 'precondition-failed'
    | 'query-too-long'
    | 'read-only'
    | 'reason-not-allowed'
    | 'request-timeout'
    | 'required'
    | 'subscription-stopped'
    | 'target-not-allowed'
    | 'terminology-unavailable'
    | 'token-issuer-unavailable'
    | 'too-many-lines'
    | 'too-many-notes'
    | 'too-many-requests'
    | 'too-many-secrets'
    | 'too-many-subscriptions'
    | 'unauthorized'
    | 'unfulfilled-lines'
    | 'unknown-coding'
    | 'unknown-field'
    | 'unpatchable-target'
    | 'unrelated-item'
    | 'unsupported-media-type'
    | 'webhooks-unavailable'
    | 'wrong-role'
    | 'wrong-type'
}

/** An identifier assigned by another party. */
export type Identifier = {
  /** Namespace of the value, a URI. */ system: string
  /** The identifier itself. */
  value: string
  /** Who assigned it. */
  assigner: string | null
}

/** An identifier assigned by another party. */
export type IdentifierInput = {
  /** Namespace of the value, a URI. */ system: string
  /** The identifier itself, unique within the system. */
  value: string
  /** Who assigned it. */
  assigner?: string | null | undefined
}

/** An annotation that is created with an item. */
export type ItemAnnotationInput = {
  /** URL of the buying party. */ buyer: string
  /** Name of the annotation, without | and :. Reserved names, such as ehealth/device-type, have their own value sets. */
  name: string
  /** Value of the annotation. */
  value: CodingInput
}

/** Whether an item can be ordered, and every reason why not. */
export type ItemOrderability = {
  /** URL of the item, as in the body. */ item: string
  /** Whether the item can be ordered today. */
  orderable: boolean
  /** Every reason why the item cannot be ordered. */
  reasons: readonly OrderabilityReason[]
}

/** The caller, as its token and the contracts of its organization say. */
export type Me = {
  /** AdministrativeClerk, MonitoringResponsible or Provider. */
  userType: 'AdministrativeClerk' | 'MonitoringResponsible' | 'Provider'
  /** URL of the clinical Organization of the caller. */
  organization: string | null
  /** Permissions of the token. */
  permissions: readonly string[]
  /** The parties of the organization, first those that it registered. */
  parties: readonly string[]
  /** Sellers that have a contract in force with one of them. */
  sellers: readonly string[]
  /** Buyers that have a contract in force with one of them, as the seller. */
  buyers: readonly string[]
}

/** An order line that is created together with its order. */
export type NewOrderLineInput = {
  /** Null or absent. The server assigns the id. */ id?: null | undefined
  /** UNFULFILLED (default) or SUBMITTED, as a Coding or as the bare code. */
  status?: OrderLineStatusCodingInput | OrderLineStatusCodingInput['code'] | null | undefined
  /** Null or absent. A change of the status gives a reason. */
  statusReason?: null | undefined
  /** URL of the catalogue item. */
  item: string
  /** Ordered action, such as DELIVER or REPAIR, as a Coding or as the bare code. */
  action: OrderLineActionCodingInput | OrderLineActionCodingInput['code']
}

/** The new secret of a subscription. */
export type NewSecret = {
  /** Secret of the signatures. Shown only once. */ secret: string
  /** Deliveries are signed with the former secret as well until then. */
  formerValidUntil: string
}

/** A note to the other party of the order. */
export type Note = {
  /** Time of writing (UTC). */ timestamp: string
  /** Name of the author. */
  authorName: string
  /** Organization of the author. */
  authorOrganization: string
  /** Text of the note. */
  note: string
}

/** A note to the other party of the order. */
export type NoteInput = {
  /** Time of writing, ISO 8601. Default: now. */ timestamp?: string | null | undefined
  /** Name of the author. Default: the name in the token. */
  authorName?: string | null | undefined
  /** Organization of the author. Default: the caller’s organization. */
  authorOrganization?: string | null | undefined
  /** Text of the note. */
  note: string
}

/** An order of a buyer to a provider for a patient. */
export type Order = {
  /** Opaque id, assigned by the server. */ id: string
  /** Identifiers assigned by other systems. */
  identifiers: readonly Identifier[]
  /** Name of the order. */
  name: string | null
  /** DRAFT, SUBMITTED, ACCEPTED, REJECTED, FULFILLED or CANCELLED, from the value set order-status. */
  status: OrderStatusCoding
  statusReason?: StatusReason | null | undefined
  /** Whether the order is urgent. */
  priority: boolean
  /** Notes, oldest first. */
  notes: readonly Note[]
  /** URL of the buying party. */
  buyer: string
  /** URL of the delivering party. */
  seller: string
  receiver: Receiver
  /** Time of creation (UTC). */
  created?: string | undefined
  /** Time of submission (UTC). Null for an order that was not submitted. */
  submitted?: string | null | undefined
  /** Time of the latest change of the order or its lines (UTC), by the clock of the database. */
  updated?: string | undefined
  /** Codes of the statuses to which the caller can move the order now. Other rules, such as a contract in force, are checked when it is submitted. */
  allowedStatuses?:
    | readonly ('DRAFT' | 'SUBMITTED' | 'ACCEPTED' | 'REJECTED' | 'FULFILLED' | 'CANCELLED')[]
    | undefined
  /** Only with `expand`: the resources by their URLs, those that the caller may read, each as it is read by its id. */
  expanded?: Record<string, object> | undefined
}

/** An order with its lines and its trace. With `form=flat` the members of the order are at the root, see OrderDetailsFlat. */
export type OrderDetails = {
  order: Order
  /** Lines of the order. */
  orderLines: readonly OrderLine[]
  /** History of the order, oldest first. */
  traceLines: readonly TraceLine[]
  /** Only with `expand`: the resources by their URLs, those that the caller may read, each as it is read by its id. */
  expanded?: Record<string, object> | undefined
}

/** An order with its lines and its trace, as returned with `form=flat`. */
export type OrderDetailsFlat = {
  /** Opaque id, assigned by the server. */ id: string
  /** Identifiers assigned by other systems. */
  identifiers: readonly Identifier[]
  /** Name of the order. */
  name: string | null
  /** DRAFT, SUBMITTED, ACCEPTED, REJECTED, FULFILLED or CANCELLED, from the value set order-status. */
  status: OrderStatusCoding
  statusReason?: StatusReason | null | undefined
  /** Whether the order is urgent. */
  priority: boolean
  /** Notes, oldest first. */
  notes: readonly Note[]
  /** URL of the buying party. */
  buyer: string
  /** URL of the delivering party. */
  seller: string
  receiver: Receiver
  /** Time of creation (UTC). */
  created?: string | undefined
  /** Time of submission (UTC). Null for an order that was not submitted. */
  submitted?: string | null | undefined
  /** Time of the latest change of the order or its lines (UTC), by the clock of the database. */
  updated?: string | undefined
  /** Codes of the statuses to which the caller can move the order now. Other rules, such as a contract in force, are checked when it is submitted. */
  allowedStatuses?:
    | readonly ('DRAFT' | 'SUBMITTED' | 'ACCEPTED' | 'REJECTED' | 'FULFILLED' | 'CANCELLED')[]
    | undefined
  /** Lines of the order. */
  orderLines: readonly OrderLine[]
  /** History of the order, oldest first. */
  traceLines: readonly TraceLine[]
  /** Only with `expand`: the resources by their URLs, those that the caller may read, each as it is read by its id. */
  expanded?: Record<string, object> | undefined
}

/** A new order. Its status can only be DRAFT. */
export type OrderInput = {
  /** Null or absent. The server assigns the id. */ id?: null | undefined
  /** Status of the order, as a Coding or as the bare code. */
  status?: OrderStatusCodingInput | OrderStatusCodingInput['code'] | null | undefined
  /** Null or absent. A change of the status gives a reason. */
  statusReason?: null | undefined
  /** Identifiers assigned by other parties. */
  identifiers?: readonly IdentifierInput[] | null | undefined
  /** Name of the order. */
  name?: string | null | undefined
  /** Whether the order is urgent. Default: false. */
  priority?: boolean | null | undefined
  /** Notes, oldest first. */
  notes?: readonly NoteInput[] | null | undefined
  /** URL of the buying party. It belongs to the caller’s organization and has the role BUYER. */
  buyer: string
  /** URL of the delivering party. It has the role SELLER. */
  seller: string
  receiver: ReceiverInput
  /** Lines of the order. The order is created with all of them, or not at all. */
  orderLines?: readonly NewOrderLineInput[] | null | undefined
  /** As GET returns it: ignored, because the service sets it. */
  created?: string | null | undefined
  /** As GET returns it: ignored, because the service sets it. */
  submitted?: string | null | undefined
  /** As GET returns it: ignored, because the service sets it. */
  updated?: string | null | undefined
  /** As GET returns it: ignored, because the service sets it. */
  allowedStatuses?: readonly string[] | null | undefined
}

/** One item of an order. */
export type OrderLine = {
  /** Opaque id, assigned by the server. */ id: string
  /** URL of the order. */
  order: string
  /** UNFULFILLED, SUBMITTED, FULFILLED or CANCELLED, from the value set order-line-status. */
  status: OrderLineStatusCoding
  statusReason?: StatusReason | null | undefined
  /** URL of the catalogue item. */
  item: string
  /** Ordered action, from the value set order-line-action. */
  action: OrderLineActionCoding
}

/** A code of the value set order-line-action, after the HL7 FHIR Coding type. */
export type OrderLineActionCoding = {
  /** Code system, a URI. */ system: string
  /** Code within the system. */
  code:
    | 'DELIVER'
    | 'PICKUP'
    | 'INSTALL'
    | 'TRAINING'
    | 'REPAIR'
    | 'MAINTENANCE'
    | 'REPLACE'
    | 'CALIBRATION'
    | 'SUPPORT'
  /** Text for people. Null when the set has none. */
  display: string | null
}

/** A code of the value set order-line-action, after the HL7 FHIR Coding type. */
export type OrderLineActionCodingInput = {
  /** Code system, a URI. */ system: string
  /** Code within the system. */
  code:
    | 'DELIVER'
    | 'PICKUP'
    | 'INSTALL'
    | 'TRAINING'
    | 'REPAIR'
    | 'MAINTENANCE'
    | 'REPLACE'
    | 'CALIBRATION'
    | 'SUPPORT'
  /** Text for people; ignored on input. */
  display?: string | null | undefined
  /** Version of the code system; ignored on input. */
  version?: string | null | undefined
  /** Whether a person chose the code; ignored on input. */
  userSelected?: boolean | null | undefined
}

/** One item of an order. */
export type OrderLineInput = {
  /** Null or absent. The server assigns the id. */ id?: null | undefined
  /** UNFULFILLED (default) or SUBMITTED, as a Coding or as the bare code. */
  status?: OrderLineStatusCodingInput | OrderLineStatusCodingInput['code'] | null | undefined
  /** Null or absent. A change of the status gives a reason. */
  statusReason?: null | undefined
  /** URL of the order, a DRAFT of the caller’s organization. */
  order: string
  /** URL of the catalogue item. */
  item: string
  /** Ordered action, such as DELIVER or REPAIR, as a Coding or as the bare code. */
  action: OrderLineActionCodingInput | OrderLineActionCodingInput['code']
}

/** A code of the value set order-line-status, after the HL7 FHIR Coding type. */
export type OrderLineStatusCoding = {
  /** Code system, a URI. */ system: string
  /** Code within the system. */
  code: 'UNFULFILLED' | 'SUBMITTED' | 'FULFILLED' | 'CANCELLED'
  /** Text for people. Null when the set has none. */
  display: string | null
}

/** A code of the value set order-line-status, after the HL7 FHIR Coding type. */
export type OrderLineStatusCodingInput = {
  /** Code system, a URI. */ system: string
  /** Code within the system. */
  code: 'UNFULFILLED' | 'SUBMITTED' | 'FULFILLED' | 'CANCELLED'
  /** Text for people; ignored on input. */
  display?: string | null | undefined
  /** Version of the code system; ignored on input. */
  version?: string | null | undefined
  /** Whether a person chose the code; ignored on input. */
  userSelected?: boolean | null | undefined
}

/** A code of the value set order-status, after the HL7 FHIR Coding type. */
export type OrderStatusCoding = {
  /** Code system, a URI. */ system: string
  /** Code within the system. */
  code: 'DRAFT' | 'SUBMITTED' | 'ACCEPTED' | 'REJECTED' | 'FULFILLED' | 'CANCELLED'
  /** Text for people. Null when the set has none. */
  display: string | null
}

/** A code of the value set order-status, after the HL7 FHIR Coding type. */
export type OrderStatusCodingInput = {
  /** Code system, a URI. */ system: string
  /** Code within the system. */
  code: 'DRAFT' | 'SUBMITTED' | 'ACCEPTED' | 'REJECTED' | 'FULFILLED' | 'CANCELLED'
  /** Text for people; ignored on input. */
  display?: string | null | undefined
  /** Version of the code system; ignored on input. */
  version?: string | null | undefined
  /** Whether a person chose the code; ignored on input. */
  userSelected?: boolean | null | undefined
}

/** A code of the value set order-status-reason, after the HL7 FHIR Coding type. */
export type OrderStatusReasonCoding = {
  /** Code system, a URI. */ system: string
  /** Code within the system. */
  code:
    | 'OUT_OF_STOCK'
    | 'DISCONTINUED'
    | 'NOT_DELIVERABLE'
    | 'WRONG_ITEM'
    | 'DUPLICATE'
    | 'DECLINED_BY_PATIENT'
    | 'NO_ANSWER'
    | 'OTHER'
  /** Text for people. Null when the set has none. */
  display: string | null
}

/** Items that a buyer would order for a patient. */
export type OrderabilityInput = {
  /** URL of the buying party. It belongs to the caller’s organization and has the role BUYER. */
  buyer: string
  /** URL of the delivering party, which has the role SELLER. Default: for each item its own seller. */
  seller?: string | null | undefined
  /** URL of the clinical Patient. */
  patient: string
  /** Items to check. */
  items: readonly string[]
}

/** A reason why an item cannot be ordered. */
export type OrderabilityReason = {
  /** Code of the problem that an order line with the item would get. */
  code:
    | 'no-contract'
    | 'foreign-item'
    | 'catalogue-not-active'
    | 'item-not-available'
    | 'not-white-listed'
    | 'black-listed'
    | 'dangling-reference'
  /** The reason, for people. */
  detail: string
}

/** A legal entity that buys, sells or pays. */
export type Party = {
  /** Opaque id, assigned by the server. */ id: string
  /** Roles that the party may have in contracts and orders. */
  allowedRoles: readonly ('BUYER' | 'SELLER' | 'ACCOUNTING')[]
  /** Name of the party. */
  name: string
  /** E-mail address. */
  email: string | null
  /** URL of the clinical Organization. */
  organization: string
}

/** A legal entity that buys, sells or pays. */
export type PartyInput = {
  /** Null or absent. The server assigns the id. */ id?: null | undefined
  /** Roles that the party may have in contracts and orders. */
  allowedRoles: readonly ('BUYER' | 'SELLER' | 'ACCOUNTING')[]
  /** Name of the party. */
  name: string
  /** E-mail address. */
  email?: string | null | undefined
  /** URL of the clinical Organization. It cannot change. */
  organization: string
}

/** The full replacement of a party. */
export type PartyReplacement = {
  /** Id of the party. */ id?: string | null | undefined
  /** Roles that the party may have in contracts and orders. */
  allowedRoles: readonly ('BUYER' | 'SELLER' | 'ACCOUNTING')[]
  /** Name of the party. */
  name: string
  /** E-mail address. */
  email?: string | null | undefined
  /** URL of the clinical Organization. It cannot change. */
  organization: string
}

/** One operation. add, replace and test need value; move and copy need from. */
export type PatchOperation = {
  /** Operation. */ op: 'add' | 'replace' | 'test' | 'remove' | 'move' | 'copy'
  /** RFC 6901 pointer to the target. */
  path: string
  /** Any JSON value. */
  value?: unknown | undefined
  /** RFC 6901 pointer to the source. */
  from?: string | undefined
}

/** Days on which the contract is in force. */
export type Period = {
  /** First day, [year, month, day]. */ start: readonly number[]
  /** Last day, [year, month, day], inclusive. */
  end: readonly number[]
}

/** Days on which the contract is in force. */
export type PeriodInput = {
  /** First day, [year, month, day]. Or a string, yyyy-mm-dd. */ start: readonly number[] | string
  /** Last day, [year, month, day], inclusive. Or a string, yyyy-mm-dd. */
  end: readonly number[] | string
}

/** A problem (RFC 9457) with a code and the invalid fields. */
export type Problem = {
  /** URN of the problem type: `urn:problem:` and the code. */ type: string
  /** The problem type, for people. */
  title: string
  /** HTTP status. */
  status: number
  /** What is wrong and what to do. */
  detail: string
  /** Id of the request, as in the log. */
  instance: string
  /** The invalid fields. Absent when no field is invalid. */
  errors?: readonly FieldProblem[] | undefined
  /** Stable code of the problem type. */
  code:
    | 'append-only-notes'
    | 'bad-request'
    | 'black-listed'
    | 'busy'
    | 'catalogue-not-active'
    | 'clinical-backend-unavailable'
    | 'conflicting-ids'
    | 'cursor-too-old'
    | 'dangling-reference'
    | 'database-unavailable'
    | 'delivered-lines'
    | 'duplicate-annotation'
    | 'duplicate-buyer'
    | 'duplicate-entry'
    | 'duplicate-identifier'
    | 'expectation-failed'
    | 'failed-test'
    | 'fixed-organization'
    | 'fixed-seller'
    | 'fixed-type'
    | 'forbidden'
    | 'foreign-item'
    | 'headers-too-large'
    | 'http-version-not-supported'
    | 'idempotency-key-reused'
    | 'illegal-transition'
    | 'incomplete-request'
    | 'internal-error'
    | 'invalid-body'
    | 'invalid-idempotency-key'
    | 'invalid-period'
    | 'invalid-query'
    | 'invalid-result'
    | 'item-not-available'
    | 'malformed-json'
    | 'malformed-text'
    | 'method-not-allowed'
    | 'no-consent'
    | 'no-contract'
    | 'no-open-lines'
    | 'not-deletable'
    | 'not-found'
    | 'not-implemented'
    | 'not-initial-status'
    | 'not-white-listed'
    | 'not-your-move'
    | 'order-closed'
    | 'order-not-draft'
    | 'outcome-unknown'
    | 'party-in-use'
    | 'payload-too-large'
    | 'precondition-failed'
    | 'query-too-long'
    | 'read-only'
    | 'reason-not-allowed'
    | 'request-timeout'
    | 'subscription-stopped'
    | 'target-not-allowed'
    | 'terminology-unavailable'
    | 'token-issuer-unavailable'
    | 'too-many-lines'
    | 'too-many-notes'
    | 'too-many-requests'
    | 'too-many-secrets'
    | 'too-many-subscriptions'
    | 'unauthorized'
    | 'unfulfilled-lines'
    | 'unknown-coding'
    | 'unpatchable-target'
    | 'unrelated-item'
    | 'unsupported-media-type'
    | 'webhooks-unavailable'
    | 'wrong-role'
}

/** The person who receives the delivery, and the patient it is for. */
export type Receiver = {
  /** Name of the receiver. */ name: string
  /** First line of the address. */
  addressLine1: string | null
  /** Second line of the address. */
  addressLine2: string | null
  /** Postal code. */
  postalCode: string | null
  /** Postal district. */
  postalDistrict: string | null
  /** E-mail address. */
  email: string | null
  /** Telephone number. */
  phone: string | null
  /** URL of the clinical Patient. */
  patient: string
}

/** The person who receives the delivery, and the patient it is for. */
export type ReceiverInput = {
  /** Name of the receiver. */ name: string
  /** First line of the address. */
  addressLine1?: string | null | undefined
  /** Second line of the address. */
  addressLine2?: string | null | undefined
  /** Postal code. */
  postalCode?: string | null | undefined
  /** Postal district. */
  postalDistrict?: string | null | undefined
  /** E-mail address. */
  email?: string | null | undefined
  /** Telephone number. */
  phone?: string | null | undefined
  /** URL of the clinical Patient. */
  patient: string
}

/** An annotation as a search returns it. */
export type ReturnedAnnotationInput = {
  /** Id of the annotation. */ id?: string | null | undefined
  /** URL of the item. */
  catalogueItem?: string | null | undefined
  /** URL of the buying party. */
  buyer: string
  /** Name of the annotation, without | and :. Reserved names, such as ehealth/device-type, have their own value sets. */
  name: string
  /** Value of the annotation. */
  value: CodingInput
}

/** A code of the value set service-type, after the HL7 FHIR Coding type. */
export type ServiceTypeCoding = {
  /** Code system, a URI. */ system: string
  /** Code within the system. */
  code:
    | 'DELIVER'
    | 'PICKUP'
    | 'INSTALL'
    | 'TRAINING'
    | 'RE-TRAINING'
    | 'REPAIR'
    | 'MAINTENANCE'
    | 'REPLACE'
    | 'CALIBRATION'
    | 'SUPPORT'
  /** Text for people. Null when the set has none. */
  display: string | null
}

/** A code of the value set service-type, after the HL7 FHIR Coding type. */
export type ServiceTypeCodingInput = {
  /** Code system, a URI. */ system: string
  /** Code within the system. */
  code:
    | 'DELIVER'
    | 'PICKUP'
    | 'INSTALL'
    | 'TRAINING'
    | 'RE-TRAINING'
    | 'REPAIR'
    | 'MAINTENANCE'
    | 'REPLACE'
    | 'CALIBRATION'
    | 'SUPPORT'
  /** Text for people; ignored on input. */
  display?: string | null | undefined
  /** Version of the code system; ignored on input. */
  version?: string | null | undefined
  /** Whether a person chose the code; ignored on input. */
  userSelected?: boolean | null | undefined
}

/** A change of status; null when no status changed. */
export type StatusChange = {
  /** URL of the order or order line. */ subject: string
  /** Status before. */
  oldStatus: StatusCoding
  /** Status after. */
  newStatus: StatusCoding
}

/** A code of the value set order-status or order-line-status, after the HL7 FHIR Coding type. */
export type StatusCoding = {
  /** Code system, a URI. */ system: string
  /** Code within the system. */
  code: 'DRAFT' | 'SUBMITTED' | 'ACCEPTED' | 'REJECTED' | 'FULFILLED' | 'CANCELLED' | 'UNFULFILLED'
  /** Text for people. Null when the set has none. */
  display: string | null
}

/** Why the resource has its status, as a code, a text or both. */
export type StatusReason = {
  /** Reason, from the value set order-status-reason. */ code: OrderStatusReasonCoding | null
  /** Text for people. */
  text: string | null
}

/** A subscription to events, and the state of its deliveries. */
export type Subscription = {
  /** Opaque id, assigned by the server. */ id: string
  /** URL that events are sent to. */
  target: string
  /** Types of events to deliver, of both APIs. */
  types: readonly (
    | 'order.created'
    | 'order.submitted'
    | 'order.status-changed'
    | 'order.priority-changed'
    | 'order.receiver-changed'
    | 'order.note-added'
    | 'order-line.added'
    | 'order-line.status-changed'
    | 'order-line.removed'
    | 'party.changed'
    | 'contract.changed'
    | 'contract.expiring'
    | 'catalogue.changed'
    | 'catalogue-item.created'
    | 'catalogue-item.changed'
    | 'annotation.changed'
    | 'white-list.changed'
  )[]
  /** `PENDING` until the target has accepted a test event, `SUSPENDED` after ten failed attempts in a row or when events that it has not got are no longer kept, `ENDED` when the target responded with 410. */
  status: 'PENDING' | 'ACTIVE' | 'PAUSED' | 'SUSPENDED' | 'ENDED'
  /** Why it is suspended or ended: `attempts-exhausted`, `gone` or `cursor-too-old`. */
  statusReason: string | null
  /** URL of the Organization that it belongs to. */
  organization: string
  /** User type whose rights decide which events are delivered. */
  userType: 'AdministrativeClerk' | 'MonitoringResponsible' | 'Provider'
  /** Permissions that decide which events are delivered. */
  permissions: readonly string[]
  /** Time of creation (UTC). */
  created: string
  /** Every event before this time was delivered, or is not visible (UTC). Except those of changes that were still being written then. */
  deliveredUntil: string
  /** Seconds since `deliveredUntil`. Up to 10 while everything is delivered; more while events wait, and while the subscription does not deliver. */
  lagSeconds: number
  /** Failed attempts in a row. */
  failures: number
  /** Time of the next attempt after a failed one (UTC). */
  nextAttempt: string | null
  /** The last attempts, newest first. */
  attempts: readonly DeliveryAttempt[]
}

/** A subscription to create. */
export type SubscriptionInput = {
  /** Null or absent. The server assigns the id. */ id?: null | undefined
  /** URL that events are sent to, at an origin that the operator allows. */
  target: string
  /** Types of events to deliver, of both APIs. */
  types: readonly (
    | 'order.created'
    | 'order.submitted'
    | 'order.status-changed'
    | 'order.priority-changed'
    | 'order.receiver-changed'
    | 'order.note-added'
    | 'order-line.added'
    | 'order-line.status-changed'
    | 'order-line.removed'
    | 'party.changed'
    | 'contract.changed'
    | 'contract.expiring'
    | 'catalogue.changed'
    | 'catalogue-item.created'
    | 'catalogue-item.changed'
    | 'annotation.changed'
    | 'white-list.changed'
  )[]
  /** Secret of the signatures: `whsec_` and 24 to 64 bytes in base64. Made when absent. */
  secret?: string | null | undefined
}

/** What replaces a subscription. The secret stays. */
export type SubscriptionReplacement = {
  /** Id of the resource. */ id?: string | null | undefined
  /** URL that events are sent to, at an origin that the operator allows. */
  target: string
  /** Types of events to deliver, of both APIs. */
  types: readonly (
    | 'order.created'
    | 'order.submitted'
    | 'order.status-changed'
    | 'order.priority-changed'
    | 'order.receiver-changed'
    | 'order.note-added'
    | 'order-line.added'
    | 'order-line.status-changed'
    | 'order-line.removed'
    | 'party.changed'
    | 'contract.changed'
    | 'contract.expiring'
    | 'catalogue.changed'
    | 'catalogue-item.created'
    | 'catalogue-item.changed'
    | 'annotation.changed'
    | 'white-list.changed'
  )[]
}

/** One event in the history of an order. */
export type TraceLine = {
  /** Opaque id, assigned by the server. */ id: string
  /** Time of the event (UTC). */
  timestamp: string
  /** Name of the party that acted, or the URL of its organization. */
  createdByOrganization: string
  /** Description of the event. */
  text: string
  /** Old and new value, and the display of the code of a reason. */
  supplementaryText: string
  /** URL of the order. */
  order: string
  /** URL of the order line; null for an event of the order itself. */
  orderLine: string | null
  statusChange: StatusChange | null
}

/** The codes of a coded member. */
export type ValueSet = {
  /** Name of the value set. */ name: string
  /** URL of the value set. It identifies the set and is not an address. */
  url: string
  /** The codes, in the order of the value set. */
  codes: readonly Coding[]
}

/** Allows a buyer to order an item. */
export type WhiteListEntry = {
  /** Opaque id, assigned by the server. */ id: string
  /** URL of the buying party. */
  buyer: string
  /** URL of the catalogue item. */
  item: string
}

/** Allows a buyer to order an item. */
export type WhiteListInput = {
  /** Null or absent. The server assigns the id. */ id?: null | undefined
  /** URL of the buying party. */
  buyer: string
  /** URL of the catalogue item. */
  item: string
}
