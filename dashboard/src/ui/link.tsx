import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core'
import { Link as RouterLink } from '@tanstack/react-router'
import type { ReactNode } from 'react'

interface Target {
  /** Below /dashboard: `/applications/app_…`. The Workspace stays. */
  readonly to: string
  readonly search?: Readonly<Record<string, unknown>>
  readonly children: ReactNode
}

/** A link to another page of the dashboard. */
export function Link({ to, search = {}, children, ...rest }: Target & AnchorProps) {
  return (
    <Anchor component={RouterLink} to={to} search={search as never} {...(rest.size === undefined && { fz: 'inherit' })} {...rest}>
      {children}
    </Anchor>
  )
}

/** As `Link`, in the shape of a button. */
export function LinkButton({ to, search = {}, children, ...rest }: Target & ButtonProps) {
  return (
    <Button component={RouterLink} to={to} search={search as never} {...rest}>
      {children}
    </Button>
  )
}
