import { Alert } from '@mantine/core'
import { useState } from 'react'
import { textOf, useFilters } from '../../routing/location.ts'
import { enter } from './enter.ts'
import { Entrance } from './entrance.tsx'
import { PasswordForm } from './password-form.tsx'
import { SecondFactorForm } from './second-factor-form.tsx'
import { SingleSignOn } from './single-sign-on.tsx'

/** Password, then the second factor where one is set up; or the company's own sign-in. */
export function Page() {
  const [{ next, error }] = useFilters((search) => ({ next: textOf(search.next), error: textOf(search.error) }))
  const [half, setHalf] = useState(false)
  if (half) {
    return (
      <Entrance title="Second factor" description="Your password was right; now the code from your authenticator app.">
        <SecondFactorForm onDone={() => enter(next)} onBack={() => setHalf(false)} />
      </Entrance>
    )
  }
  return (
    <Entrance title="Sign in to Gatehouse">
      {error && (
        <Alert color="red" variant="light" role="alert">
          Single sign-on did not let you in. Ask an owner whether you have been invited.
        </Alert>
      )}
      <PasswordForm onDone={() => enter(next)} onSecondFactor={() => setHalf(true)} />
      <SingleSignOn next={next} />
    </Entrance>
  )
}
