import type { CreatedAt } from '../../platform/db/columns.ts'
import type { BudgetPeriod, BudgetScope, BudgetUnit, Unpriced } from './budget-words.ts'

declare module '../../platform/db/schema.ts' {
  interface Schema {
    budget: {
      id: string
      workspace_id: string
      /** Unique in the Workspace. */
      name: string
      scope: BudgetScope
      /** For the scope `claim`: an attribute of verified users; otherwise empty. */
      claim: string
      /** The one member of the scope that the budget counts; null: each member has a separate count. */
      member: string | null
      /** Only requests of this Application; null: of all. */
      application_id: string | null
      unit: BudgetUnit
      /** Billionths of a dollar, or tokens. */
      amount: number
      period: BudgetPeriod
      /** IANA name. Windows begin at midnight there; weeks begin on Monday. */
      time_zone: string
      /** Fractions of the limit at which an alert is sent once in each window. */
      alerts: readonly number[]
      unpriced: Unpriced
      enabled: boolean
      created_at: CreatedAt
      updated_at: Date
    }
    /** The ledger: one row for each budget, subject and window. Only the functions of migration 0005 change it. */
    budget_window: {
      budget_id: string
      /** Empty: the whole Workspace, or the requests that name no member. */
      subject: string
      starts_at: Date
      ends_at: Date
      spent: number
      reserved: number
      /** By how much requests exceeded their reservations, and how many did. */
      overrun: number
      overruns: number
      /** Reservations that ended without being settled in full. */
      expired: number
    }
    budget_alert: {
      id: string
      workspace_id: string
      budget_id: string
      subject: string
      starts_at: Date
      fraction: number
      created_at: Date
      /** null: the event is not sent yet. */
      emitted_at: Date | null
    }
    budget_reservation: {
      id: string
      workspace_id: string
      expires_at: Date
    }
  }
}
