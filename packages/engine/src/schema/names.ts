/*
 * What the name of a field says about it where no schema does.
 */

/** Names under which Kubernetes APIs keep Go durations. */
export const TIME_SPAN =
  /(?:(?:^|[a-z])(?:[dD]uration|[iI]nterval|[tT]imeout|[pP]eriod|[tT]tl|TTL|[dD]elay|[dD]eadline|[mM]axAge|[lL]ifetime|[bB]ackoff|[rR]etention|[cC]ooldown)|[a-z](?:Before|After|Every|Window|Wait|Time|Age|Grace))$/;
