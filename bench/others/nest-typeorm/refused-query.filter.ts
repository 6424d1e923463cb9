import { type ArgumentsHost, Catch, UnprocessableEntityException } from '@nestjs/common'
import { BaseExceptionFilter } from '@nestjs/core'
import { QueryFailedError } from 'typeorm'

/** SQLSTATE class of a broken constraint. */
const brokenConstraint = '23'

/** Answers what a constraint refused as the caller's fault. */
@Catch(QueryFailedError)
export class RefusedQueryFilter extends BaseExceptionFilter {
  override catch(error: QueryFailedError<Error & { code?: string }>, host: ArgumentsHost) {
    const isRefused = error.driverError.code?.startsWith(brokenConstraint)
    super.catch(isRefused ? new UnprocessableEntityException() : error, host)
  }
}
