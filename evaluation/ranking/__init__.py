"""From the counts of many systems to standings: averages, significance, the tables of an overview paper."""
