// The view algebra, and layouts as views.
#pragma once
#include "view/algebra.h"
#include "view/layout.h"
