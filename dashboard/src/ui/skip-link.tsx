import classes from './skip-link.module.css'

/** First element in tab order; skips the navigation. */
export function SkipLink() {
  return (
    <a className={classes.link} href="#content">
      Skip to content
    </a>
  )
}
