/** Styles are imported for their effect only: the build collects them. */
declare module '*.css'
