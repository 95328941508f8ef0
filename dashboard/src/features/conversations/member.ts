import { createContext, useContext } from 'react'
import type { Identity } from './identity.ts'

export const MemberContext = createContext<Identity | undefined>(undefined)

/** In whose name the messenger around this speaks. */
export function useMember(): Identity {
  const member = useContext(MemberContext)
  if (!member) throw new Error('there is no messenger around this')
  return member
}
