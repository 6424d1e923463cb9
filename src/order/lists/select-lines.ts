import { and, eq, type SQL, sql } from 'drizzle-orm'
import { ofOrganization, sideOf } from '../../agreement/side.js'
import { withCurrentPatient } from '../../clinical/current-patient.js'
import { rowSelection } from '../../db/sql/json-row.js'
import { writtenColumns } from '../../db/written-columns.js'
import { matchesDevice } from '../../device/device-filters.js'
import { withDevices } from '../../device/store.js'
import { devices } from '../../device/tables.js'
import type { Call } from '../../platform/auth/call.js'
import { authorizeAs } from '../../platform/auth/scope.js'
import type { PageRequest } from '../../platform/rest/pagination.js'
import type { Ports } from '../../ports.js'
import { MAX_AGREED_DAYS } from '../model/agreed-time.js'
import { lineStatuses } from '../model/states.js'
import { type LineWithDevices, orderLines } from '../store/tables.js'
import { visibleTo } from '../store/visibility.js'
import { calibrationAccess, isCalibrationDue } from './calibration-due.js'
import { type LineSearch, lineFilters } from './line-filters.js'

export type ListedLine = LineWithDevices & { patient: string }

/**
 * The end of a page: the ids of an order and one of its lines, and the time that sorted the line.
 */
export interface LinePosition {
  order: string
  line: string
  time?: string | undefined
}

export const positionIn =
  ({ sort }: LineSearch) =>
  ({ orderId, id, agreedFrom }: ListedLine): LinePosition => ({
    order: orderId,
    line: id,
    ...(sort && { time: agreedFrom?.toISOString() })
  })

const orderOfPage = ({ sort }: LineSearch): SQL =>
  sort ? sql`order_lines.agreed_from, order_lines.id` : sql`order_lines.order_id, order_lines.id`

/**
 * SQL query of at least the first lines of a list after a position. There is an index for each
 * side. The comments name the index for buyers. Figures are buffers for each line of a page of 100,
 * the same for a tenth and for all of the orders of a national year.
 * @param end SQL: the order of the page, and its limit.
 */
function selectLines(call: Call, search: LineSearch, after: LinePosition | undefined, end: SQL): SQL {
  const { order, patient, item, relatedTo, status: statuses, sort, agreedFrom, agreedTo } = search
  const { calibrationDue } = search
  const ofDevice = and(matchesDevice(search), calibrationDue && isCalibrationDue(calibrationDue))
  const select = (condition?: SQL) => {
    const conditions = and(
      visibleTo(orderLines, call),
      condition,
      lineFilters.where({ ...search, status: undefined }),
      // The maximum length of an agreed time limits the scan of the index of its start.
      agreedFrom === undefined
        ? undefined
        : sql`order_lines.agreed_from > ${agreedFrom}::timestamptz - ${24 * MAX_AGREED_DAYS} * interval '1 hour'`,
      ofDevice && and(ofOrganization(devices, sideOf(call), call.caller.organization ?? ''), ofDevice),
      after && isAfter(search, after)
    )
    const joined = ofDevice
      ? sql`join devices on devices.order_id = order_lines.order_id and devices.line_id = order_lines.id`
      : sql``
    return sql`select order_lines.* from order_lines ${joined} where ${conditions}`
  }
  const hasStatus = lineFilters.where({ status: statuses })

  // By agreed time, in order_lines_buyer_agreed_idx (buyer_organization, agreed_from, id,
  // agreed_to): 1 to 2.
  if (sort) return select(hasStatus)

  // By a selective filter: order_lines_pk (order_id, id), order_lines_patient_idx (patient,
  // order_id, id), order_lines_buyer_item_idx (item_id, buyer_organization, order_id, id),
  // order_lines_related_idx (related_to): 1 to 2. By device, in devices_buyer_in_use_idx
  // (buyer_organization, used_until is null, order_id, line_id), or in an index of the item, lot
  // number, serial number, UDI, GTIN or words: 5. By a second GTIN of the model, also the devices
  // of other organizations: see devices_other_gtins_idx. By patient, with a device in use: 5 to 7.
  // Due for calibration: 1 for each device in use.
  if (ofDevice || order || patient || item || relatedTo) return select(hasStatus)

  // All lines in the range by the index of agreed times, then sorted: 1 to 2. `offset 0` because
  // PostgreSQL expects a third of all lines to match, and otherwise reads all lines of an
  // organization in page order: for the last 2,000 of 60,000 lines 28,533 buffers instead of 1,304.
  if (agreedFrom !== undefined || agreedTo !== undefined) return sql`${select(hasStatus)} offset 0`

  // The first lines of each status, in order_lines_buyer_status_idx (buyer_organization, status,
  // order_id, id), merged: 0.8, by whether a time is agreed 2.
  const branches = (statuses ?? lineStatuses).map(
    (code) => sql`(${select(sql`order_lines.status = ${code}`)} ${end})`
  )
  return sql.join(branches, sql` union all `)
}

const isAfter = ({ sort }: LineSearch, { order, line, time }: LinePosition): SQL =>
  sort
    ? sql`(order_lines.agreed_from, order_lines.id) > (${time}::timestamptz, ${line}::uuid)`
    : sql`(order_lines.order_id, order_lines.id) > (${order}::uuid, ${line}::uuid)`

const selectRows = rowSelection({ ...writtenColumns(orderLines), patient: orderLines.patient })

/**
 * Finds the lines of a page, and one further line if there is one.
 * @throws Problem `forbidden` for a filter by annotations that the caller may not read.
 */
export async function findLines(
  ports: Ports,
  call: Call,
  search: LineSearch,
  { limit, after }: PageRequest<LinePosition>
): Promise<ListedLine[]> {
  const { relatedTo, calibrationDue } = search
  if (calibrationDue) authorizeAs(call, calibrationAccess)
  if (relatedTo !== undefined && !(await seesLine(ports, call, relatedTo))) return []
  const end = sql`order by ${orderOfPage(search)} limit ${limit + 1}`
  const current = await withCurrentPatient(ports.db, search)
  const rows = await selectRows(
    ports.db,
    (list) => sql`select ${list} from (${selectLines(call, current, after, end)}) order_lines ${end}`
  )
  return withDevices(ports, call, rows)
}

/** Whether the caller sees a line, whose order then becomes a subject of the audit record. */
async function seesLine({ db }: Ports, call: Call, id: string): Promise<boolean> {
  const [line] = await db
    .select({ order: orderLines.orderId, patient: orderLines.patient })
    .from(orderLines)
    .where(and(eq(orderLines.id, id), visibleTo(orderLines, call)))
  if (line) call.auditContext.addSubject(line.patient, line.order)
  return line !== undefined
}
