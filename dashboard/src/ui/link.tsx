import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core'
import { Link as RouterLink } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import classes from './link.module.css'

interface Target {
  /** Below /dashboard: `/applications/app_…`. */
  readonly to: string
  /** The query, or a function of that of the current page. */
  readonly search?: Readonly<Record<string, unknown>> | ((before: object) => object)
  /** Fragment of the URL without #: `create` opens the form of the page. */
  readonly hash?: string | undefined
  readonly children: ReactNode
}

/** A link to a page of the dashboard. Keeps the Workspace. */
export function Link({ to, search = {}, hash, className = classes.target ?? '', children, ...rest }: Target & AnchorProps) {
  return (
    <Anchor
      className={className}
      component={RouterLink}
      to={to}
      search={search as never}
      {...(hash && { hash })}
      {...(rest.size === undefined && { fz: 'inherit' })}
      {...rest}
    >
      {children}
    </Anchor>
  )
}

/** A `Link` that looks like a button. */
export function LinkButton({ to, search = {}, hash, children, ...rest }: Target & ButtonProps) {
  return (
    <Button component={RouterLink} to={to} search={search as never} {...(hash && { hash })} {...rest}>
      {children}
    </Button>
  )
}
