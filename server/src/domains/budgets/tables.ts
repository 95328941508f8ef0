import type { CreatedAt } from '../../platform/db/columns.ts'
import type { BudgetPeriod, BudgetScope, BudgetUnit, Unpriced } from './budget.ts'

declare module '../../platform/db/schema.ts' {
  interface Schema {
    budget: BudgetTable
    budget_window: BudgetWindowTable
    budget_alert: BudgetAlertTable
    budget_reservation: BudgetReservationTable
  }
}

export interface BudgetTable {
  id: string
  workspace_id: string
  name: string
  scope: BudgetScope
  claim: string
  /** null: each member has a separate count. */
  member: string | null
  application_id: string | null
  unit: BudgetUnit
  amount: number
  period: BudgetPeriod
  time_zone: string
  alerts: number[]
  unpriced: Unpriced
  enabled: boolean
  created_at: CreatedAt
  updated_at: Date
}

/** The ledger: one row for each budget, subject and window. Only the functions of migration 0005 change it. */
export interface BudgetWindowTable {
  budget_id: string
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

export interface BudgetAlertTable {
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

export interface BudgetReservationTable {
  id: string
  workspace_id: string
  expires_at: Date
}
