import type { FastifyRequest } from 'fastify'
import type { Problem } from '../../platform/errors/problem.js'
import { BodyCollector } from '../../platform/server/read-body.js'
import { withoutControlCharacters } from '../../platform/text/without-control-characters.js'
import { excelProblem, workbookProblem } from '../problems.js'

/** A file of a form. The name may contain personal data and must not be logged. */
export interface UploadedFile {
  bytes: Buffer
  /** Without folders and control characters, shortened; null without a name. */
  name: string | null
}

const MAX_NAME_LENGTH = 200

/**
 * Reads the single file of a multipart/form-data request, in its field `file`.
 * @param limit bytes.
 * @throws Problem `unsupported-media-type`, `malformed-upload`, `no-file`, `several-files`,
 *   `file-too-large`, `too-many-requests`, `busy`.
 */
export async function uploadedFile(request: FastifyRequest, limit: number): Promise<UploadedFile> {
  if (!request.isMultipart()) throw excelProblem('unsupported-media-type.workbook')
  const body = new BodyCollector(request)
  let file: UploadedFile | undefined
  try {
    for await (const part of request.parts()) {
      if (part.type !== 'file' || part.fieldname !== 'file') throw excelProblem('malformed-upload.otherField')
      if (file) throw excelProblem('several-files')
      for await (const chunk of part.file) body.add(chunk)
      file = { bytes: body.bytes, name: fileName(part.filename) }
      if (part.file.truncated) throw tooLarge(limit)
    }
  } catch (error) {
    throw toProblem(error, limit)
  }
  if (!file) throw excelProblem('no-file')
  return file
}

/** Cleans the name of a file as a client sends it, which may be a path. */
export function fileName(sent: string | undefined): string | null {
  const last = sent?.split(/[/\\]/).at(-1) ?? ''
  // Marks that change the direction of the text would disguise the name.
  const name = withoutControlCharacters(last)
    .replace(/[\p{Cf}\s]+/gu, ' ')
    .trim()
  return [...name].slice(0, MAX_NAME_LENGTH).join('') || null
}

const tooLarge = (limit: number): Problem => workbookProblem({ code: 'file-too-large', limit })

/** Converts errors of the multipart parser, which have no status or a 5xx one. */
function toProblem(error: unknown, limit: number): unknown {
  const { code = '', name } = error as { code?: string; name?: string }
  if (name === 'Problem') return error
  if (code === 'FST_REQ_FILE_TOO_LARGE') return tooLarge(limit)
  if (/^FST_(FILES|PARTS|FIELDS)_LIMIT$/.test(code)) return excelProblem('several-files')
  return excelProblem('malformed-upload', null, null, { cause: error })
}
