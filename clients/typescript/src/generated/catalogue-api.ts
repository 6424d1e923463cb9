// Generated from the documents in openapi: npm run client

import { Api, type CallOptions, type PostOptions, type ReadOptions, type WriteOptions } from '../api.js'
import type {
  Annotation,
  AnnotationInput,
  AnnotationReplacement,
  BlackListEntry,
  BlackListInput,
  Catalogue,
  CatalogueInput,
  CatalogueItem,
  CatalogueItemInput,
  CatalogueItemReplacement,
  CatalogueReplacement,
  CloudEvent,
  ValueSet,
  WhiteListEntry,
  WhiteListInput
} from './types.js'

/** The operations of ssl-catalogue. */
export class CatalogueApi extends Api {
  /** Create a catalogue */
  createCatalogue(body: CatalogueInput, options: PostOptions = {}) {
    return this.create<Catalogue>(`/catalogue`, body, options)
  }

  /** Replace the catalogue with the id in the body */
  replaceCatalogue(body: CatalogueReplacement, options: WriteOptions = {}) {
    return this.write<Catalogue>('PUT', `/catalogue`, body, options)
  }

  /** Replace a catalogue */
  replaceCatalogueById(id: string, body: CatalogueReplacement, options: WriteOptions = {}) {
    return this.write<Catalogue>('PUT', `/catalogue/${encodeURIComponent(id)}`, body, options)
  }

  /** Read a catalogue */
  getCatalogue(id: string, options: ReadOptions<Catalogue> = {}) {
    return this.read<Catalogue>(`/catalogue/${encodeURIComponent(id)}`, {}, options)
  }

  /** List catalogues */
  listCatalogue(
    query: {
      /** URL of the delivering party. */ seller?: string
      /** Code of a catalogue status. */
      status?: 'DRAFT' | 'ACTIVE' | 'INACTIVE'
      /** The exact name. */
      name?: string
      /** Words in the name; all must match, and case and accents are ignored. At most 10 different words of at most 100 characters. */
      q?: string
      /** Maximum number of entries. */
      limit?: number
    } = {},
    options: CallOptions = {}
  ) {
    return this.list<Catalogue>(`/catalogues`, query, options)
  }

  /** Create a catalogue item */
  createCatalogueItem(body: CatalogueItemInput, options: PostOptions = {}) {
    return this.create<CatalogueItem>(`/catalogue-item`, body, options)
  }

  /** Replace the catalogue item with the id in the body */
  replaceCatalogueItem(body: CatalogueItemReplacement, options: WriteOptions = {}) {
    return this.write<CatalogueItem>('PUT', `/catalogue-item`, body, options)
  }

  /** Replace a catalogue item */
  replaceCatalogueItemById(id: string, body: CatalogueItemReplacement, options: WriteOptions = {}) {
    return this.write<CatalogueItem>('PUT', `/catalogue-item/${encodeURIComponent(id)}`, body, options)
  }

  /** Read a catalogue item */
  getCatalogueItem(id: string, options: ReadOptions<CatalogueItem> = {}) {
    return this.read<CatalogueItem>(`/catalogue-item/${encodeURIComponent(id)}`, {}, options)
  }

  /** Create catalogue items, all or none */
  createCatalogueItems(body: readonly CatalogueItemInput[], options: PostOptions = {}) {
    return this.submit<readonly CatalogueItem[]>(`/catalogue-items`, body, options)
  }

  /** List catalogue items */
  listCatalogueItem(
    query: {
      /** URL of a buying party: items that it can order today. */ buyer?: string
      /** URL of a clinical Patient: without items on the patient’s black list. */
      patient?: string
      /** `<name>:<system>|<code>`, or the earlier `<system>/<code>`. An item must have all of them. */
      annotation?: readonly string[]
      /** URL of a catalogue. */
      catalogue?: string
      /** URL of a delivering party. */
      seller?: string
      /** URL of a device model: services that relate to it. */
      relatedTo?: string
      /** Type of item. */
      catalogueItemType?: 'DeviceModel' | 'Service'
      /** Code of a service type. */
      serviceType?:
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
      /** Code of an item status. */
      status?: 'AVAILABLE' | 'UNAVAILABLE' | 'DISCONTINUED'
      /** Words in the name, description, model, manufacturer and identifiers; all must match, and case and accents are ignored. At most 10 different words of at most 100 characters. */
      q?: string
      /** Maximum number of entries. */
      limit?: number
    } = {},
    options: CallOptions = {}
  ) {
    return this.list<CatalogueItem>(`/catalogue-items`, query, options)
  }

  /** Create an annotation */
  createAnnotation(body: AnnotationInput, options: PostOptions = {}) {
    return this.create<Annotation>(`/annotation`, body, options)
  }

  /** Replace the annotation with the id in the body */
  replaceAnnotation(body: AnnotationReplacement, options: WriteOptions = {}) {
    return this.write<Annotation>('PUT', `/annotation`, body, options)
  }

  /** Create annotations, all or none */
  createAnnotations(body: readonly AnnotationInput[], options: PostOptions = {}) {
    return this.submit<readonly Annotation[]>(`/annotations`, body, options)
  }

  /** List annotations */
  listAnnotation(
    query: {
      /** URL of the buying party. */ buyer?: string
      /** URL of the catalogue of the items. */
      catalogue?: string
      /** URL of the item. */
      catalogueItem?: string
      /** The exact name of the annotations. */
      name?: string
      /** Words in the name, code and display of the annotation; all must match, and case and accents are ignored. At most 10 different words of at most 100 characters. */
      q?: string
      /** Maximum number of entries. */
      limit?: number
    } = {},
    options: CallOptions = {}
  ) {
    return this.list<Annotation>(`/annotations`, query, options)
  }

  /** Replace an annotation */
  replaceAnnotationById(id: string, body: AnnotationReplacement, options: WriteOptions = {}) {
    return this.write<Annotation>('PUT', `/annotation/${encodeURIComponent(id)}`, body, options)
  }

  /** Read an annotation */
  getAnnotation(id: string, options: ReadOptions<Annotation> = {}) {
    return this.read<Annotation>(`/annotation/${encodeURIComponent(id)}`, {}, options)
  }

  /** Delete an annotation */
  deleteAnnotation(id: string, options: WriteOptions = {}) {
    return this.remove(`/annotation/${encodeURIComponent(id)}`, options)
  }

  /** Create a white list entry */
  createWhiteList(body: WhiteListInput, options: PostOptions = {}) {
    return this.create<WhiteListEntry>(`/white-list`, body, options)
  }

  /** Create white lists, all or none */
  createWhiteLists(body: readonly WhiteListInput[], options: PostOptions = {}) {
    return this.submit<readonly WhiteListEntry[]>(`/white-lists`, body, options)
  }

  /** List white lists */
  listWhiteList(
    query: {
      /** URL of the buying party. */ buyer?: string
      /** URL of the catalogue item. */
      item?: string
      /** Maximum number of entries. */
      limit?: number
    } = {},
    options: CallOptions = {}
  ) {
    return this.list<WhiteListEntry>(`/white-lists`, query, options)
  }

  /** Read a white list entry */
  getWhiteList(id: string, options: ReadOptions<WhiteListEntry> = {}) {
    return this.read<WhiteListEntry>(`/white-list/${encodeURIComponent(id)}`, {}, options)
  }

  /** Delete a white list entry */
  deleteWhiteList(id: string, options: WriteOptions = {}) {
    return this.remove(`/white-list/${encodeURIComponent(id)}`, options)
  }

  /** Create a black list entry */
  createBlackList(body: BlackListInput, options: PostOptions = {}) {
    return this.create<BlackListEntry>(`/black-list`, body, options)
  }

  /** Read a black list entry */
  getBlackList(id: string, options: ReadOptions<BlackListEntry> = {}) {
    return this.read<BlackListEntry>(`/black-list/${encodeURIComponent(id)}`, {}, options)
  }

  /** Delete a black list entry */
  deleteBlackList(id: string, options: WriteOptions = {}) {
    return this.remove(`/black-list/${encodeURIComponent(id)}`, options)
  }

  /** List black lists */
  listBlackList(
    query: {
      /** URL of the clinical Patient. Required. */ patient?: string
      /** URL of the catalogue item. */
      item?: string
      /** Maximum number of entries. */
      limit?: number
    } = {},
    options: CallOptions = {}
  ) {
    return this.list<BlackListEntry>(`/black-lists`, query, options)
  }

  /** List value sets */
  listValueSet(
    query: {
      /** Maximum number of entries. */ limit?: number
    } = {},
    options: CallOptions = {}
  ) {
    return this.list<ValueSet>(`/value-sets`, query, options)
  }

  /** Read a value set */
  getValueSet(name: string, options: ReadOptions<ValueSet> = {}) {
    return this.read<ValueSet>(`/value-sets/${encodeURIComponent(name)}`, {}, options)
  }

  /** List events */
  listCatalogueEvents(
    query: {
      /** Types of events, comma-separated. Default: all. */ types?: string
      /** Maximum number of events. */
      limit?: number
      /** Seconds to wait for an event, if there is none yet. Default: 0. */
      wait?: number
    } = {},
    options: CallOptions = {}
  ) {
    return this.list<CloudEvent>(`/events`, query, options)
  }
}
