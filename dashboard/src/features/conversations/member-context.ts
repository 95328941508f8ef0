import { createContext, useContext } from 'react'
import type { MemberSession } from './member-session.ts'

export const MemberContext = createContext<MemberSession | undefined>(undefined)

/** Session of the acting user. */
export function useMember(): MemberSession {
  const member = useContext(MemberContext)
  if (!member) throw new Error('useMember needs a MemberContext')
  return member
}
