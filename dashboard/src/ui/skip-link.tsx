import classes from './skip-link.module.css'

/** The first stop of the Tab key: past the navigation. */
export function SkipLink() {
  return (
    <a className={classes.link} href="#content">
      To the content
    </a>
  )
}
